"""What the commands with planted faults share: compiling, running the tests with JUnit's console, patches, edges by class."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

JAVAC = ["-g", "-nowarn", "-proc:none", "-encoding", "UTF-8"]
QUIET = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)


class Failure(Exception):
    """Sources that do not compile, or tests that fail without a fault."""


def require_empty(out):
    if out.exists() and any(out.iterdir()):
        sys.exit(f"error: {out} is not empty")


def jars_of(cache, *names):
    """The jars of each directory of the cache; ends the command if there are none."""
    jars = {name: sorted((cache / name).resolve().glob("*.jar")) for name in names}
    missing = [name for name, found in jars.items() if not found]
    if missing:
        sys.exit(f"error: no {', '.join(missing)} in the cache: pass --cache")
    return jars


def join(paths):
    return os.pathsep.join(map(str, paths))


def javac(target, classpath, sources, *flags):
    """Compiles the sources into the directory `target`."""
    arguments = target.parent / f"{target.name}.args"
    arguments.write_text("\n".join(f'"{source}"' for source in sources))
    done = subprocess.run(["javac", *JAVAC, "-d", target, "-cp", join(classpath), *flags, f"@{arguments}"],
                          text=True, capture_output=True)
    if done.returncode != 0:
        raise Failure(f"{target.name} does not compile:\n{done.stderr[-3000:]}")


def run_console(tests, classpath, reports, limit, *flags):
    """The number of tests and the failing ones, by JUnit's console; tests that do not end within `limit` seconds, if any, fail."""
    command = ["java", "-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *flags, "-cp", join(classpath),
               "org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--details=none",
               f"--scan-classpath={tests}", f"--reports-dir={reports}"]
    try:
        code = subprocess.run(command, cwd=tests.parent, timeout=limit, **QUIET).returncode
    except subprocess.TimeoutExpired:
        return 0, ["the tests do not end"]
    if code not in (0, 1):
        return 0, [f"the JVM ends with exit code {code}"]
    return read_reports(reports.glob("TEST-*.xml"))


def read_reports(files):
    """The number of tests in JUnit's reports, and the failing ones as `class.method`."""
    cases = [case for file in sorted(files) for case in ElementTree.parse(file).iter("testcase")]
    failing = [f"{case.get('classname')}.{case.get('name')}" for case in cases
               if case.find("failure") is not None or case.find("error") is not None]
    return len(cases), failing


class Fault:
    """A patch that changes one file, and says in its first line what it does."""

    def __init__(self, patch):
        self.name, self.text = patch.stem, patch.read_text()
        self.file = re.search(r"^\+\+\+ b/(\S+)", self.text, re.MULTILINE).group(1)
        self.says = self.text.splitlines()[0].removeprefix("# ")
        source = re.sub(r".*src/main/\w+/", "", self.file)
        self.class_name = source.rsplit(".", 1)[0].replace("/", ".")

    def plant(self, original, target):
        """Writes the patched file as `target`."""
        target.parent.mkdir(parents=True, exist_ok=True)
        if original != target:
            shutil.copy(original, target)
        command = ["patch", "--silent", "--no-backup-if-mismatch", target]
        subprocess.run(command, input=self.text, text=True, check=True)

    def row(self, failing):
        return {"class": self.class_name, "fault": self.name, "says": self.says, "by": failing, "noticed": bool(failing)}


def coverage(report):
    """The edges of each top-level class, with those of its nested classes."""
    classes = {}
    for entry in report["classes"]:
        empty = {"covered": 0, "total": 0, "never_returned": 0, "uncovered": [], "faults": []}
        found = classes.setdefault(entry["name"].split("$")[0], empty)
        found["covered"] += entry["edges"]["covered"]
        found["total"] += entry["edges"]["total"]
        found["never_returned"] += len(entry.get("never_returned", []))
        reasons = [entry["unusable"]["reason"]] if entry["unusable"] else []
        for edge in entry["uncovered"]:
            name = edge["method"].split("(")[0]
            given = [member["reason"] for member in entry["not_tested"] if f".{name}(" in member["operation"]]
            found["uncovered"].append({"class": entry["name"], **edge, "reasons": reasons + given})
    return classes


def totals(classes):
    faults = [fault for found in classes.values() for fault in found["faults"]]
    sums = {key: sum(found[key] for found in classes.values()) for key in ("covered", "total", "never_returned")}
    return {**sums, "faults": len(faults), "noticed": sum(fault["noticed"] for fault in faults)}


def print_classes(classes, sums):
    """Uncovered edges, missed faults, and a line for each class and each of the sums."""
    classes = dict(sorted(classes.items()))
    print("Uncovered edges")
    for edge in (edge for found in classes.values() for edge in found["uncovered"]):
        method, reasons = edge["method"].split("(")[0], ", ".join([edge["why"], *edge["reasons"]])
        print(f"  {edge['class']}.{method}, line {edge['line']}: {edge['kind']}, {reasons}")
    print("\nMissed faults")
    for fault in (fault for found in classes.values() for fault in found["faults"] if not fault["noticed"]):
        print(f"  {fault['class']} {fault['fault']}: {fault['says']}")
    width = max(32, *(len(name) + 2 for name in classes))
    print(f"\n{'class':<{width}}{'edges':>12}{'':>8}{'noticed':>10}{'never returned':>17}")
    rows = [(name, totals({name: found})) for name, found in classes.items()]
    for name, row in [*rows, *sums.items()]:
        edges, faults = f"{row['covered']}/{row['total']}", f"{row['noticed']}/{row['faults']}"
        share = f"{100 * row['covered'] / max(1, row['total']):.1f} %"
        print(f"{name:<{width}}{edges:>12}{share:>8}{faults:>10}{row['never_returned']:>17}")
