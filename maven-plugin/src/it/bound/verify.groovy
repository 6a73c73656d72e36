// Generated tests need not be kept among the sources.
assert new File(basedir, 'target/generated-test-sources/randgen/bank/AccountRandgenTest.java').isFile()
assert !new File(basedir, 'src/test').exists()

def results = new groovy.xml.XmlSlurper().parse(new File(basedir, 'target/surefire-reports/TEST-bank.AccountRandgenTest.xml'))
assert results.@tests.toInteger() > 0
assert results.@failures == '0' && results.@errors == '0'

def log = new File(basedir, 'build.log').text
assert log.count('nothing changed since the last run') == 1
