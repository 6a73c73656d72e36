def log = new File(basedir, 'build.log').text
def answers = log.readLines().findAll { it =~ /the gate (passes|fails)/ }.collect { it.replaceFirst(/.*the gate /, '') }
assert answers == [
    'fails: 1 new finding, 0 known, 0 gone',
    'passes: 0 new findings, 1 known, 0 gone',
    'passes: 0 new findings, 1 known, 0 gone',
    'fails: 1 new finding, 1 known, 0 gone',
    'passes: 0 new findings, 1 known, 0 gone',
]
assert log.contains('bank.Limit breaks equals-reflexive')
assert log.contains('bank.Limit breaks to-string')
assert log.count("randgen's gate fails") > 0
assert log.contains('the module has sources and no classes')
assert new File(basedir, 'known.toml').text.contains('equals-reflexive')
// A gate changes nothing else.
assert !new File(basedir, 'src/test').exists()
