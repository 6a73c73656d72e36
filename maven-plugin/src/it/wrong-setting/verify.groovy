def log = new File(basedir, 'build.log').text
assert log.contains('[ERROR] in the build\'s settings: `timeLimit`: expected a positive number of seconds, found "soon"')
assert log.contains('randgen refused the settings')
assert !new File(basedir, 'src/test').exists()
