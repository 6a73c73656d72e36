// The processor is in no repository: the compiler of the second module finds the classes of the first.
def results = new groovy.xml.XmlSlurper().parse(new File(basedir, 'books/target/surefire-reports/TEST-books.BookRandgenTest.xml'))
assert results.@tests.toInteger() > 0
assert results.@failures == '0' && results.@errors == '0'
