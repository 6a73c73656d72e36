def log = new File(basedir, 'build.log').text
assert log.contains('randgen: the module has no classes')
assert log.contains('\nrandgen:generate-no-fork\n')
assert log.contains('randgen has no test for any class of the module')
assert !new File(basedir, 'src/test').exists()
