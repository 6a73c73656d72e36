// The script is not beside the project that it looks at.
def reactor = new File(basedir, '../../target/it-fixtures/reactor').canonicalFile
def request = { module -> new File(reactor, "$module/target/randgen/request.toml").text }
def tests = { name -> new groovy.xml.XmlSlurper().parse(new File(reactor, name)).@tests.toInteger() }

assert request('money').contains('name = "money"')
assert request('invoice').contains('project-root = "' + reactor + '"')
// A module's classes are where the build has just put them; no repository has them.
assert request('invoice') =~ /dependencies = \["[^"]*\/money\/target\/classes", /

assert new File(reactor, 'money/src/test/generated/money/MoneyRandgenTest.java').text.contains('import org.junit.Test;')
assert new File(reactor, 'invoice/src/test/generated/invoice/InvoiceRandgenTest.java').text.contains('import org.junit.jupiter.api.Test;')
assert tests('money/target/surefire-reports/TEST-money.MoneyRandgenTest.xml') > 0
assert tests('invoice/target/surefire-reports/TEST-invoice.InvoiceRandgenTest.xml') > 0
