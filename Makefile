# make install   randgen and its man pages and completions for your user, both plugins and the annotations in the local Maven repository
# make dist   the files of a release in target/dist: a Maven repository with both plugins, the annotations and the binary, an archive, a Debian package
# make demo   tests for a real library, from nothing but Rust on a Debian-like machine
# make test-pure   unit tests of the crates that touch no file, clock or process: at most a minute once built
# make test   every test: Rust, the splicer's corpus, the Maven and Gradle plugins, the suites generated for the fixtures
# make same-output BASE=<revision>   shows whether this tree writes the same tests, reports and messages as the revision

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

CARGO_TARGET_DIR ?= $(CURDIR)/target
export CARGO_TARGET_DIR

MVN := mvn -B --no-transfer-progress
DEMO := $(CARGO_TARGET_DIR)/demo/commons-cli

# Where `cargo install` puts binaries, below `bin`. man looks into the `share/man` beside each `bin` on the PATH.
CARGO_INSTALL_ROOT ?= $(or $(CARGO_HOME),$(HOME)/.cargo)
export CARGO_INSTALL_ROOT
# Where bash and fish look for completions by themselves.
DATA := $(or $(XDG_DATA_HOME),$(HOME)/.local/share)

.PHONY: help crates dist install install-plugins demo test test-pure test-full deny lint test-rust test-plugin test-gradle test-gate test-dist same-output tools gradle z3

help:
	@sed -n 's/^# \(make .*\)/\1/p' $(firstword $(MAKEFILE_LIST))

# A JDK and Maven, where they are missing. The package names are Debian's and Ubuntu's.
tools:
	@missing=(); \
	command -v javac >/dev/null || missing+=(default-jdk-headless); \
	command -v mvn >/dev/null || missing+=(maven); \
	command -v cc >/dev/null || missing+=(gcc libc6-dev); \
	if [ $${#missing[@]} -gt 0 ]; then \
	  if [ "$$(id -u)" = 0 ]; then root=; else root=sudo; fi; \
	  echo "installing $${missing[*]}"; \
	  $$root apt-get update -qq; \
	  DEBIAN_FRONTEND=noninteractive $$root apt-get install -y -qq --no-install-recommends "$${missing[@]}" >/dev/null; \
	fi

# Only tests need them, and where they cannot be had they say so. Debian's Gradle is 4.4.1.
gradle z3: tools
	@command -v $@ >/dev/null || { \
	  if [ "$$(id -u)" = 0 ]; then root=; else root=sudo; fi; \
	  echo "installing $@"; \
	  $$root apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $$root apt-get install -y -qq --no-install-recommends $@ >/dev/null; \
	} || true

install: tools install-plugins
	cargo install --locked --path .
	randgen="$(CARGO_INSTALL_ROOT)/bin/randgen"; \
	pages="$(CARGO_INSTALL_ROOT)/share/man/man1"; \
	bash="$(DATA)/bash-completion/completions"; \
	fish="$(DATA)/fish/vendor_completions.d"; \
	zsh="$(DATA)/zsh/site-functions"; \
	mkdir -p "$$pages" "$$bash" "$$fish" "$$zsh"; \
	"$$randgen" completions bash >"$$bash/randgen"; \
	"$$randgen" completions fish >"$$fish/randgen.fish"; \
	"$$randgen" completions zsh >"$$zsh/_randgen"; \
	"$$randgen" man >"$$pages/randgen.1"; \
	for command in $$(sed -n 's/^randgen\\-\([a-z]*\)(1)$$/\1/p' "$$pages/randgen.1"); do \
	  "$$randgen" man "$$command" >"$$pages/randgen-$$command.1"; \
	done
	@echo
	@echo "Installed $(CARGO_INSTALL_ROOT)/bin/randgen and both plugins."
	@echo "Maven projects can use the plugin now; for Gradle, see the line for settings.gradle in README.md."

# Gradle finds its plugin in this repository by the marker.
install-plugins: tools
	$(MVN) -q -f maven-plugin/annotations install
	$(MVN) -q -f maven-plugin install -DskipTests -Dinvoker.skip=true
	$(MVN) -q -f gradle-plugin install -DskipTests
	$(MVN) -q -f gradle-plugin/marker install

# What a release consists of, in docs/releasing.md. Times in archives are the commit's, so that the same commit gives the same
# bytes; Maven's metadata has the time of day in it, and the repository that takes the files writes its own.
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
DIST := $(CARGO_TARGET_DIR)/dist
PLATFORM := linux-$(shell uname -m)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
MVN_DIST = $(MVN) -q -DskipTests -Dinvoker.skip=true -DaltDeploymentRepository=dist::file://$(DIST)/repository \
  -Dproject.build.outputTimestamp=$(shell date --utc --date=@$(SOURCE_DATE_EPOCH) +%Y-%m-%dT%H:%M:%SZ)
# Who signs the release, as gpg knows them; without one it is not signed.
GPG_KEY ?=

# What docs/releasing.md promises of the binary; .ci/packaging/check-binary fails the build otherwise.
OLDEST_GLIBC := 2.34
LARGEST_BINARY := 9500000
# Directories of this machine, which messages of panics and debug information would have in them, and which become names; of
# several that match, the last does. Frame pointers make the tables for unwinding by a third smaller.
SHIPPED_FLAGS = --remap-path-prefix=$(CARGO_DIRECTORY)=cargo \
  $(patsubst %,--remap-path-prefix=%=crates,$(shell ls -d $(CARGO_DIRECTORY)/registry/src/*)) \
  --remap-path-prefix=$(shell rustc --print sysroot)/lib/rustlib/src/rust=rust \
  --remap-path-prefix=$(CURDIR)=randgen --remap-path-prefix=$(CARGO_TARGET_DIR)=target -Cforce-frame-pointers=yes
CARGO_DIRECTORY := $(or $(CARGO_HOME),$(HOME)/.cargo)

crates:
	cargo fetch --locked

# Signatures have the time of day in them: SHA256SUMS is signed and does not list them.
dist: tools crates
	RUSTFLAGS="$(SHIPPED_FLAGS)" cargo build --profile shipped --locked -p randgen
	rm -rf $(DIST)
	name=randgen-$(VERSION)-$(PLATFORM); \
	binary=$(DIST)/$$name/randgen; \
	mkdir -p $(DIST)/$$name; \
	objcopy --only-keep-debug $(CARGO_TARGET_DIR)/shipped/randgen $(DIST)/$$name.debug; \
	objcopy --strip-all --add-gnu-debuglink=$(DIST)/$$name.debug $(CARGO_TARGET_DIR)/shipped/randgen $$binary; \
	.ci/packaging/check-binary $$binary $(OLDEST_GLIBC) $(LARGEST_BINARY) \
	  $(CARGO_DIRECTORY) $(CURDIR) $(CARGO_TARGET_DIR) $(shell rustc --print sysroot); \
	cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT $(DIST)/$$name; \
	tar --sort=name --mtime=@$(SOURCE_DATE_EPOCH) --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX \
	  -C $(DIST) -c $$name | gzip --no-name >$(DIST)/$$name.tar.gz; \
	.ci/packaging/components >$(DIST)/$$name.cdx.json; \
	if command -v dpkg-deb >/dev/null; then \
	  .ci/packaging/deb $$binary $(VERSION) $(DIST); \
	else \
	  echo "skipped: there is no dpkg-deb to make a Debian package with"; \
	fi; \
	cp .ci/packaging/Containerfile $(DIST); \
	$(MVN_DIST) -f .ci/packaging/binary deploy -Dbinary.file=$$binary -Dbinary.platform=$(PLATFORM) \
	  -Dbinary.components=$(DIST)/$$name.cdx.json; \
	rm -r $(DIST)/$$name
	for part in maven-plugin/annotations maven-plugin gradle-plugin gradle-plugin/marker; do \
	  $(MVN_DIST) -Pdist -f $$part clean deploy; \
	done
	find $(DIST)/repository -name 'maven-metadata.xml*' -delete
	cd $(DIST) && find . -type f ! -name SHA256SUMS -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum >SHA256SUMS
	if [ -n "$(GPG_KEY)" ]; then \
	  find $(DIST) -type f ! -name '*.md5' ! -name '*.sha1' -print0 | LC_ALL=C sort -z \
	    | xargs -0 -n 1 gpg --batch --yes --armor --detach-sign --local-user "$(GPG_KEY)"; \
	else \
	  echo "not signed: make dist GPG_KEY=<key> signs the files"; \
	fi
	@echo
	@cat $(DIST)/SHA256SUMS

demo: tools
	cargo build --release --locked -p randgen
	$(MVN) -q -f maven-plugin install -DskipTests -Dinvoker.skip=true
	rm -rf $(DEMO)
	mkdir -p $(dir $(DEMO))
	cp -r fixtures/commons-cli $(DEMO)
	$(MVN) -f $(DEMO)/pom.xml randgen:generate \
	  -Drandgen.executable=$(CARGO_TARGET_DIR)/release/randgen -Drandgen.seed=1 -Drandgen.totalTimeLimit=60
	@echo
	@echo "Running them with the project's own build:"
	@echo
	@$(MVN) -f $(DEMO)/pom.xml test > $(DEMO)/test.log || { cat $(DEMO)/test.log; exit 1; }
	@grep -E '(Tests run:|BUILD)' $(DEMO)/test.log
	@echo
	@echo "Generated tests:  $(DEMO)/src/test/generated"
	@echo "Report:           $(DEMO)/target/randgen/report.md"

test: tools lint test-rust test-plugin test-gradle test-gate

lint:
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings

# The layers above "World" in docs/architecture.md, and the messages of workers, which are plain values too.
PURE := model bytecode program oracle search symbolic specification emitter report protocol

test-pure:
	cargo test --locked $(PURE:%=-p randgen-%)

# One profile for the library, the binary that the tests start and the tests themselves, so nothing is compiled twice.
test-rust: z3
	cargo test --locked --no-fail-fast
	cargo test --locked --test jvm -- --ignored splicer_corpus --nocapture

test-plugin:
	$(MVN) -f maven-plugin verify -Drandgen.executable=$(CARGO_TARGET_DIR)/debug/randgen

# The plugin is also compiled, and not kept, against later Gradles: nothing that it uses may be gone there.
test-gradle: gradle
	for version in 6 8; do \
	  $(MVN) -q -f gradle-plugin clean compile -Pgradle-$$version; \
	done
	$(MVN) -q -f gradle-plugin clean
	for part in gradle-plugin gradle-plugin/marker; do \
	  $(MVN) -q -f $$part deploy \
	    -DaltDeploymentRepository=tests::file://$(CURDIR)/gradle-plugin/target/repository; \
	done
	if command -v gradle >/dev/null; then \
	  gradle --no-daemon -q --project-cache-dir $(CARGO_TARGET_DIR)/gradle -b tests/projects/groovy.gradle; \
	  cargo test --locked --test projects -- --ignored gradle_; \
	else \
	  echo "skipped: there is no Gradle to test its plugin with"; \
	fi

# From the files of a release, with an empty home, by both build tools.
test-dist: dist
	cargo test --locked --test projects -- --ignored release_suffices_for_maven
	if command -v gradle >/dev/null; then \
	  cargo test --locked --test projects -- --ignored release_suffices_for_gradle; \
	else \
	  echo "skipped: there is no Gradle to test its plugin with"; \
	fi

# What takes too long for every change.
test-full: test deny test-dist
	cargo test --locked --test cli -- --ignored file_system_fault_at_every_call --nocapture
	cargo test --locked --test projects -- --ignored hostile twenty_outputs states_by_equals services_with --nocapture
	RANDGEN_TEST_SECONDS=60 cargo test --locked --test robustness parsers -- --nocapture

# Licences, advisories and duplicates of dependencies (deny.toml). The list of advisories is fetched, or an older one taken.
deny:
	if ! command -v cargo-deny >/dev/null; then \
	  echo "skipped: there is no cargo-deny to look at dependencies with"; exit; \
	fi; \
	cargo deny --locked check licenses bans sources; \
	if cargo deny --locked fetch db 2>/dev/null || ls "$${CARGO_HOME:-$$HOME/.cargo}"/advisory-dbs/*/ >/dev/null 2>&1; then \
	  cargo deny --frozen check advisories; \
	else \
	  echo "skipped: there is no list of advisories to compare dependencies with"; \
	fi

# SAME_OUTPUT takes options, such as '--out DIR --only reactor'.
same-output: z3
	benches/same-output $(or $(BASE),$(error BASE is missing: make same-output BASE=<revision>)) $(SAME_OUTPUT)

# A baseline, a planted fault that the gate must name, and the fault taken back, with each build tool.
test-gate: test-plugin test-gradle
	cargo test --locked --test projects -- --ignored gate_names_what_was_planted_with_maven every_command_is_a_goal_of_maven
	if command -v gradle >/dev/null; then \
	  cargo test --locked --test projects -- --ignored gate_names_what_was_planted_with_gradle every_command_is_a_task_of_gradle; \
	else \
	  echo "skipped: there is no Gradle to test its plugin with"; \
	fi
