//! Which lines of a class ran, as far as its probes and the jumps between them tell.
//!
//! Code from where a probe was hit runs on to the next jump. An exception that a call lets through leaves earlier: what
//! stands behind the call counts as run all the same.

use super::body::Body;
use super::{Class, Plan, ProbeKind};
use crate::classfile::Instruction;
use crate::classfile::decode::Located;
use std::collections::BTreeMap;

/// How much of a line ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineState {
    /// All of it, both ways of each of its conditions.
    Covered,
    /// Some of it.
    Partly,
    /// None of it.
    Missed,
}

/// Whether each probe of a method was hit, by the instruction that it stands before.
type Hits = BTreeMap<(usize, ProbeKind), bool>;

/// The lines that have code, of the class with this plan, whose n-th probe was hit if `is_hit(n)`. Nothing is known of methods
/// without probes.
pub fn lines(bytes: &[u8], plan: &Plan, is_hit: &dyn Fn(usize) -> bool) -> BTreeMap<u16, LineState> {
    let Ok(class) = Class::read(bytes) else { return BTreeMap::new() };
    // Whether some and all of a line ran.
    let mut ran: BTreeMap<u16, (bool, bool)> = BTreeMap::new();
    let mut add = |line: Option<u16>, is_run: bool| {
        if let Some(line) = line {
            let (some, all) = ran.entry(line).or_insert((false, true));
            *some |= is_run;
            *all &= is_run;
        }
    };
    for (index, method) in class.methods.iter().enumerate() {
        let probes = plan.probes.iter().enumerate().filter(|(_, probe)| usize::from(probe.method) == index);
        let hits: Hits = probes.map(|(n, probe)| ((usize::from(probe.pc), probe.kind), is_hit(n))).collect();
        let Some(Ok(body)) = method.code.map(|code| Body::read(code, &class.pool)) else { continue };
        if hits.is_empty() {
            continue;
        }
        for (instruction, is_run) in body.instructions.iter().zip(reached(&body.instructions, &hits)) {
            add(body.line_at(instruction.pc), is_run);
        }
        for ((pc, kind), is_hit) in hits {
            if matches!(kind, ProbeKind::Taken | ProbeKind::NotTaken) {
                add(body.line_at(pc), is_hit);
            }
        }
    }
    let state = |(some, all)| match (some, all) {
        (_, true) => LineState::Covered,
        (true, false) => LineState::Partly,
        (false, false) => LineState::Missed,
    };
    ran.into_iter().map(|(line, ran)| (line, state(ran))).collect()
}

/// Whether each instruction ran.
fn reached(instructions: &[Located], hits: &Hits) -> Vec<bool> {
    let index_of = |pc: usize| instructions.binary_search_by_key(&pc, |instruction| instruction.pc).ok();
    let is_hit = |pc: usize, kind: ProbeKind| hits.get(&(pc, kind)).copied();
    let entered = |(&(pc, kind), &is_hit): (&(usize, ProbeKind), &bool)| match kind {
        ProbeKind::Entry | ProbeKind::Handler | ProbeKind::SwitchTarget if is_hit => index_of(pc),
        _ => None,
    };
    let mut next: Vec<usize> = hits.iter().filter_map(entered).collect();
    let mut reached = vec![false; instructions.len()];
    while let Some(index) = next.pop() {
        let Some(instruction) = instructions.get(index).filter(|_| !reached[index]) else { continue };
        let pc = instruction.pc;
        let probes = [ProbeKind::Handler, ProbeKind::SwitchTarget, ProbeKind::Loop];
        if probes.into_iter().any(|kind| is_hit(pc, kind) == Some(false)) {
            continue;
        }
        reached[index] = true;
        let target = || instruction.jump_target().and_then(index_of);
        match instruction.instruction {
            // A method that is too large has no probes at its jumps.
            Instruction::Branch { .. } => {
                next.extend((is_hit(pc, ProbeKind::NotTaken) != Some(false)).then_some(index + 1));
                next.extend(target().filter(|_| is_hit(pc, ProbeKind::Taken) != Some(false)));
            }
            Instruction::Goto { .. } => next.extend(target()),
            other if !other.ends_block() => next.push(index + 1),
            _ => {}
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instrument::plan;
    use testing::compile;

    const SOURCE: &str = "class A {
    static int f(int x) {
        if (x > 3) {
            x++;
        }
        try {
            return 7 / x;
        } catch (ArithmeticException e) {
            x = 1;
        }
        switch (x) {
            case 1:
                return 1;
            default:
                return x;
        }
    }
}
";

    /// The states of the lines of `f`, where the n-th edge of it was hit if `hit` has its kind.
    fn check(hit: &[ProbeKind], expected: &[(u16, LineState)]) {
        let bytes = &compile(SOURCE, &["-g"])[0].1;
        let plan = plan(bytes).unwrap();
        let is_f = |n: usize| &*plan.methods[usize::from(plan.probes[n].method)].0 == "f";
        let lines = lines(bytes, &plan, &|n| is_f(n) && hit.contains(&plan.probes[n].kind));
        let of_f: Vec<(u16, LineState)> = lines.into_iter().filter(|(line, _)| *line > 1).collect();
        assert_eq!(of_f, expected, "{hit:?}");
    }

    #[test]
    fn line_coverage_follows_from_the_probes_that_lead_to_the_line() {
        use LineState::{Covered, Missed, Partly};
        let states = |states: [LineState; 8]| [3, 4, 7, 8, 9, 11, 13, 15].into_iter().zip(states).collect::<Vec<_>>();
        check(&[], &states([Missed; 8]));
        let jumped = [Partly, Missed, Covered, Missed, Missed, Missed, Missed, Missed];
        check(&[ProbeKind::Entry, ProbeKind::Taken], &states(jumped));
        let fell_through = [Partly, Covered, Covered, Covered, Covered, Covered, Missed, Missed];
        check(&[ProbeKind::Entry, ProbeKind::NotTaken, ProbeKind::Handler], &states(fell_through));
        let all =
            [ProbeKind::Entry, ProbeKind::Taken, ProbeKind::NotTaken, ProbeKind::Handler, ProbeKind::SwitchTarget];
        check(&all, &states([Covered; 8]));
    }
}
