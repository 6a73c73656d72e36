// Both builds take the directory from randgen.toml: the one that writes the tests, and the one that only compiles them.
def test = new File(basedir, 'src/test/random/bank/AccountRandgenTest.java').text
assert !new File(basedir, 'src/test/generated').exists()
// The command line wins over the POM.
assert test.contains('seed 7')
assert !test.contains('seed 8')

def request = new File(basedir, 'target/randgen/request.toml').text
assert request.contains('[flags]\nseed = "7"\nverbose = "true"\n[configuration]\n')
// Arguments of a JVM end at spaces, not at commas.
assert request.contains('jvmArgs = "-Da=b,c -Xmx256m"')
// What nobody set is left to randgen.toml and the defaults.
assert !request.contains('targetClasses') && !request.contains('outputFormats')
assert new File(basedir, 'target/randgen/report.md').isFile()
assert request.contains('source-level = "8"')
assert request.contains('junit-jupiter-api-5.10.2.jar')

def results = new groovy.xml.XmlSlurper().parse(new File(basedir, 'target/surefire-reports/TEST-bank.AccountRandgenTest.xml'))
assert results.@tests.toInteger() > 0
assert results.@failures == '0' && results.@errors == '0'

def log = new File(basedir, 'build.log').text
assert log.contains('seed = 7 (flag)')
assert log.contains('sequence-limit = 2000 (build file)')
assert log.contains('randgen: skipped')
