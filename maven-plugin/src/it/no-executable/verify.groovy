def missing = new File(basedir, 'no/such/randgen')
def sentence = "cannot run randgen: there is no file $missing; name the binary with -Drandgen.executable"
assert new File(basedir, 'build.log').text.contains(sentence)
assert !new File(basedir, 'src/test').exists()
