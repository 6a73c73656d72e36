//! An SMT solver in a process of its own: z3 by way of SMT-LIB, over bit vectors of 32 and 64 bits.
//!
//! How long it may think is counted in its own steps, so that its answers depend on the question alone.

use bytecode::classfile::instruction::{Arithmetic, BinaryOperator, Bitwise, Conversion, Shift};
use easy_smt::{Context, ContextBuilder, Response, SExpr};
use std::collections::BTreeSet;
use std::io;
use symbolic::solver::{Query, SatisfiableCase, Solver, SolverAnswer};
use symbolic::term::{Model, Node, PathCondition, SymbolicVariable, Term, TermOperation, TermRelation, Terms, number};

/// z3's `rlimit` for one question: a few seconds at most.
const STEPS: u32 = 4_000_000;

/// Questions after which the process is replaced: neither it nor the expressions here are freed before.
const QUESTIONS: u32 = 4_000;

/// A process of z3, started when it is first asked.
pub struct Z3 {
    context: Option<Context>,
    asked: u32,
}

/// Why there is no solver.
#[derive(Debug, thiserror::Error)]
#[error("cannot start z3: install it (Debian's package is called z3) and have it on PATH")]
pub struct NoZ3(#[source] io::Error);

impl Z3 {
    /// Starts one, to see that it is there.
    pub fn start() -> Result<Z3, NoZ3> {
        Ok(Z3 { context: Some(start().map_err(NoZ3)?), asked: 0 })
    }

    fn ask(&mut self, terms: &Terms, query: &Query) -> io::Result<SolverAnswer> {
        if self.asked == QUESTIONS {
            self.context = None;
            self.asked = 0;
        }
        self.asked += 1;
        let context = match &mut self.context {
            Some(context) => context,
            none => none.insert(start()?),
        };
        context.push()?;
        let answer = solve(context, terms, query)?;
        context.pop()?;
        Ok(answer)
    }
}

impl Solver for Z3 {
    fn solve(&mut self, terms: &Terms, query: &Query) -> SolverAnswer {
        self.ask(terms, query).unwrap_or_else(|_| {
            // Whatever state it is in, the next question gets another.
            self.context = None;
            SolverAnswer::Unknown
        })
    }
}

fn start() -> io::Result<Context> {
    let mut context = ContextBuilder::new().with_z3_defaults().build()?;
    let steps = context.numeral(STEPS);
    context.set_option(":rlimit", steps)?;
    Ok(context)
}

fn solve(context: &mut Context, terms: &Terms, query: &Query) -> io::Result<SolverAnswer> {
    let mut variables = variables_of(terms, &query.all);
    for case in &query.none_of {
        variables.extend(variables_of(terms, &case.conditions).difference(&case.own));
    }
    for &variable in &variables {
        let sort = sort(context, variable.wide);
        context.declare_const(variable.to_string(), sort)?;
    }
    for condition in &query.all {
        let condition = compared(context, terms, condition);
        context.assert(condition)?;
    }
    for case in &query.none_of {
        let excluded = excluded(context, terms, case);
        context.assert(excluded)?;
    }
    match context.check()? {
        Response::Unsat => return Ok(SolverAnswer::Unsatisfiable),
        Response::Unknown => return Ok(SolverAnswer::Unknown),
        Response::Sat => {}
    }
    let mut model = Model::default();
    if variables.is_empty() {
        return Ok(SolverAnswer::Satisfiable(model));
    }
    let names = variables.iter().map(|variable| context.atom(variable.to_string())).collect();
    for (&variable, (_, value)) in variables.iter().zip(context.get_value(names)?) {
        // A bit vector is written without a sign.
        let Some(bits) = context.get_u64(value) else { return Ok(SolverAnswer::Unknown) };
        model.insert(variable, if variable.wide { bits as i64 } else { i64::from(bits as u32 as i32) });
    }
    Ok(SolverAnswer::Satisfiable(model))
}

fn variables_of(terms: &Terms, conditions: &[PathCondition]) -> BTreeSet<SymbolicVariable> {
    let mut variables = BTreeSet::new();
    for condition in conditions {
        for term in [condition.left, condition.right] {
            terms.for_each_variable(term, &mut |variable| {
                variables.insert(variable);
            });
        }
    }
    variables
}

fn excluded(context: &Context, terms: &Terms, case: &SatisfiableCase) -> SExpr {
    let conditions: Vec<SExpr> = case.conditions.iter().map(|condition| compared(context, terms, condition)).collect();
    let all = if conditions.is_empty() { context.true_() } else { context.and_many(conditions) };
    let none = context.not(all);
    let used = variables_of(terms, &case.conditions);
    let own: Vec<(String, SExpr)> =
        used.intersection(&case.own).map(|variable| (variable.to_string(), sort(context, variable.wide))).collect();
    if own.is_empty() { none } else { context.forall(own, none) }
}

fn sort(context: &Context, wide: bool) -> SExpr {
    context.bit_vec_sort(context.numeral(if wide { 64 } else { 32 }))
}

fn compared(context: &Context, terms: &Terms, condition: &PathCondition) -> SExpr {
    let (left, right) = (written(context, terms, condition.left), written(context, terms, condition.right));
    match condition.relation {
        TermRelation::Equal => context.eq(left, right),
        TermRelation::NotEqual => context.not(context.eq(left, right)),
        TermRelation::Less => context.bvslt(left, right),
        TermRelation::LessOrEqual => context.bvsle(left, right),
    }
}

/// The term as a bit vector of its width. Division needs no care for zero: paths on which a divisor is zero end before.
fn written(context: &Context, terms: &Terms, term: Term) -> SExpr {
    let (of, operands) = match terms.node(term) {
        Node::Variable(variable) => return context.atom(variable.to_string()),
        Node::Known(literal) => {
            let value = number(literal).expect("terms are numbers");
            return known(context, terms.is_wide(term), value);
        }
        Node::Operation(of, operands) => (*of, operands),
    };
    let written: Vec<SExpr> = operands.iter().map(|&operand| written(context, terms, operand)).collect();
    let sign_extended = |by: u32, value| context.list(vec![extension(context, "sign_extend", by), value]);
    let wide = terms.is_wide(term);
    let arithmetic = match (of, &written[..]) {
        (TermOperation::Arithmetic(arithmetic), _) => arithmetic,
        (TermOperation::CompareLongs, &[left, right]) => {
            let [less, equal, greater] = [-1, 0, 1].map(|value| known(context, false, value));
            let rest = context.ite(context.eq(left, right), equal, greater);
            return context.ite(context.bvslt(left, right), less, rest);
        }
        (TermOperation::CompareLongs, _) => unreachable!("two longs are compared"),
    };
    match (arithmetic, &written[..]) {
        (Arithmetic::Convert(conversion), &[value]) => match conversion {
            Conversion::IntToLong => sign_extended(32, value),
            Conversion::LongToInt => context.extract(31, 0, value),
            Conversion::IntToByte => sign_extended(24, context.extract(7, 0, value)),
            Conversion::IntToShort => sign_extended(16, context.extract(15, 0, value)),
            Conversion::IntToChar => {
                context.list(vec![extension(context, "zero_extend", 16), context.extract(15, 0, value)])
            }
            _ => unreachable!("terms are ints and longs"),
        },
        (Arithmetic::Negate(_), &[value]) => context.bvneg(value),
        (Arithmetic::Binary(operator, _), &[left, right]) => match operator {
            BinaryOperator::Add => context.bvadd(left, right),
            BinaryOperator::Subtract => context.bvsub(left, right),
            BinaryOperator::Multiply => context.bvmul(left, right),
            BinaryOperator::Divide => context.bvsdiv(left, right),
            BinaryOperator::Remainder => context.bvsrem(left, right),
        },
        (Arithmetic::Shift(shift, _), &[left, right]) => {
            // The distance of a shift is an int, of which five or six bits count.
            let bits = context.bvand(right, known(context, false, if wide { 63 } else { 31 }));
            let distance = if wide { sign_extended(32, bits) } else { bits };
            match shift {
                Shift::Left => context.bvshl(left, distance),
                Shift::Right => context.bvashr(left, distance),
                Shift::UnsignedRight => context.bvlshr(left, distance),
            }
        }
        (Arithmetic::Bitwise(bitwise, _), &[left, right]) => match bitwise {
            Bitwise::And => context.bvand(left, right),
            Bitwise::Or => context.bvor(left, right),
            Bitwise::Xor => context.bvxor(left, right),
        },
        _ => unreachable!("an operation has its operands"),
    }
}

fn extension(context: &Context, name: &str, by: u32) -> SExpr {
    context.list(vec![context.atom("_"), context.atom(name), context.numeral(by)])
}

fn known(context: &Context, wide: bool, value: i64) -> SExpr {
    if wide { context.binary(64, value) } else { context.binary(32, value as i32) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytecode::classfile::instruction::{Integral, Number};
    use model::jvm::Literal;
    use symbolic::term::Truth;

    /// z3 is no part of a build: without it nothing is checked here, and the test says so.
    fn solver() -> Option<Z3> {
        Z3::start().map_err(|error| testing::skip("z3", error)).ok()
    }

    /// What the solver and the folding of known terms say of one operation on these operands must be the same.
    fn check(solver: &mut Z3, of: TermOperation, operands: &[Literal]) {
        let mut terms = Terms::default();
        let known: Vec<Term> = operands.iter().map(|literal| terms.known(literal.clone())).collect();
        let Some(expected) = terms.operation(of, known.clone()) else { return };
        let symbols: Vec<Term> =
            operands.iter().map(|literal| terms.fresh(matches!(literal, Literal::Long(_)))).collect();
        let term = terms.operation(of, symbols.clone()).expect("nothing is known of it");
        let mut all = Vec::new();
        for (symbol, value) in symbols.into_iter().zip(known) {
            let Truth::Open(condition) = terms.compare(TermRelation::Equal, symbol, value) else { unreachable!() };
            all.push(condition);
        }
        let Truth::Open(result) = terms.compare(TermRelation::Equal, term, expected) else { unreachable!() };
        let mut ask = |last: PathCondition| {
            let all = all.iter().copied().chain([last]).collect();
            solver.solve(&terms, &Query { all, none_of: Vec::new() })
        };
        assert!(matches!(ask(result), SolverAnswer::Satisfiable(_)), "{of:?} {operands:?}");
        assert_eq!(ask(result.negated()), SolverAnswer::Unsatisfiable, "{of:?} {operands:?}");
    }

    #[test]
    fn solver_arithmetic_equals_java_arithmetic() {
        let Some(mut solver) = solver() else { return };
        let ints = [0, 1, -1, 5, -7, 33, i32::MIN, i32::MAX].map(Literal::Int);
        let longs = [0, 1, -1, 70, i64::MIN, i64::MAX - 3].map(Literal::Long);
        let of = TermOperation::Arithmetic;
        let convert = |conversion| of(Arithmetic::Convert(conversion));
        for left in &ints {
            let conversions =
                [Conversion::IntToLong, Conversion::IntToByte, Conversion::IntToChar, Conversion::IntToShort];
            for of in conversions.map(convert).into_iter().chain([of(Arithmetic::Negate(Number::Int))]) {
                check(&mut solver, of, std::slice::from_ref(left));
            }
            for right in &ints {
                for of in OPERATORS.map(|operator| of(Arithmetic::Binary(operator, Number::Int))) {
                    check(&mut solver, of, &[left.clone(), right.clone()]);
                }
                for of in SHIFTS.map(|shift| of(Arithmetic::Shift(shift, Integral::Int))) {
                    check(&mut solver, of, &[left.clone(), right.clone()]);
                }
                for of in BITWISE.map(|bitwise| of(Arithmetic::Bitwise(bitwise, Integral::Int))) {
                    check(&mut solver, of, &[left.clone(), right.clone()]);
                }
            }
        }
        for left in &longs {
            for of in [of(Arithmetic::Negate(Number::Long)), convert(Conversion::LongToInt)] {
                check(&mut solver, of, std::slice::from_ref(left));
            }
            for right in &longs {
                // Products of longs take the solver too long.
                for operator in OPERATORS.into_iter().filter(|operator| *operator != BinaryOperator::Multiply) {
                    let of = of(Arithmetic::Binary(operator, Number::Long));
                    check(&mut solver, of, &[left.clone(), right.clone()]);
                }
                for of in BITWISE.map(|bitwise| of(Arithmetic::Bitwise(bitwise, Integral::Long))) {
                    check(&mut solver, of, &[left.clone(), right.clone()]);
                }
                check(&mut solver, TermOperation::CompareLongs, &[left.clone(), right.clone()]);
            }
            for right in &ints {
                for of in SHIFTS.map(|shift| of(Arithmetic::Shift(shift, Integral::Long))) {
                    check(&mut solver, of, &[left.clone(), right.clone()]);
                }
            }
        }
    }

    const OPERATORS: [BinaryOperator; 5] = {
        use BinaryOperator::*;
        [Add, Subtract, Multiply, Divide, Remainder]
    };
    const SHIFTS: [Shift; 3] = [Shift::Left, Shift::Right, Shift::UnsignedRight];
    const BITWISE: [Bitwise; 3] = [Bitwise::And, Bitwise::Or, Bitwise::Xor];
}
