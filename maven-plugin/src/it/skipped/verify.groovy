// Nothing was generated, and the tests of an earlier run are tests of this build.
assert !new File(basedir, 'target/randgen').exists()
assert new File(basedir, 'build.log').text.count('randgen: skipped') == 3
assert new File(basedir, 'target/surefire-reports/TEST-bank.AccountRandgenTest.xml').isFile()
