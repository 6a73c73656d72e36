//! Runs the tests of each run in JVMs with other time zones, locales, charsets, hash seeds, numbers of processors and orders
//! of the tests.

use super::{Bench, RUN_IN_PERTURBED_ENVIRONMENTS, Result, number};

/// How often `flaky` runs tests in each of its environments.
const RUNS: usize = 20;

/// What one environment of `flaky` differs in. The first four are as the workers' and the verification's are not.
const ENVIRONMENTS: [&str; 10] = [
    "-Duser.timezone=Pacific/Apia -Duser.language=ar -Duser.country=EG",
    "-Duser.timezone=America/St_Johns -Duser.language=de -Duser.country=CH -Dfile.encoding=ISO-8859-1",
    "-Duser.timezone=Asia/Kathmandu -Duser.language=th -Duser.country=TH -XX:ActiveProcessorCount=7",
    // The harness could not read what JVMs print in UTF-16.
    "-Duser.timezone=Africa/Casablanca -Duser.language=fa -Duser.country=IR -Dfile.encoding=Shift_JIS",
    "-Duser.timezone=UTC -Duser.language=tr -Duser.country=TR",
    "-XX:+UnlockExperimentalVMOptions -XX:hashCode=0 -XX:ActiveProcessorCount=1",
    "-XX:+UnlockExperimentalVMOptions -XX:hashCode=2",
    "-XX:+UnlockExperimentalVMOptions -XX:hashCode=3 -Dfile.encoding=US-ASCII",
    "-Xint",
    "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC",
];

/// JUnit 5's own settings.
const ANY_ORDER: &str = "-Djunit.jupiter.testmethod.order.default=org.junit.jupiter.api.MethodOrderer$Random \
    -Djunit.jupiter.testclass.order.default=org.junit.jupiter.api.ClassOrderer$Random";

pub(super) fn run_often(bench: &Bench, seeds: &[u64]) -> Result<()> {
    println!("| subject | seed | tests | runs | failing | flaky | runs that did not end |");
    println!("|{}", " --- |".repeat(7));
    for library in &bench.libraries(&RUN_IN_PERTURBED_ENVIRONMENTS)? {
        for &seed in seeds {
            let directory = bench.generate(library, seed, "", &[])?;
            let (mut tests, mut failing, mut flaky, mut unended) = (0.0, 0.0, 0.0, 0);
            for (index, environment) in ENVIRONMENTS.iter().enumerate() {
                let order = format!("-Djunit.jupiter.execution.order.random.seed={index} {ANY_ORDER}");
                let reruns = format!("--reruns={}", RUNS - 1);
                let name = format!("flaky-{index}");
                let options = format!("{environment} {order}");
                let measured = bench.measure_with(library, &directory, &name, &[&reruns], &options)?;
                tests = number(&measured, "/test_methods")?;
                failing += number(&measured, "/failing_first_run")?;
                flaky += number(&measured, "/flaky")?;
                unended += usize::from(measured["complete"] == false);
            }
            let runs = RUNS * ENVIRONMENTS.len();
            println!("| {} | {seed} | {tests} | {runs} | {failing} | {flaky} | {unended} |", library.name);
        }
    }
    Ok(())
}
