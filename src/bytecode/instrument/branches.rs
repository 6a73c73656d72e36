//! What a jump says of the condition under which a method runs, in words of Java names: `hoursAbove24`, `unknownAccount`,
//! `whenClosed`.
//!
//! A jump says something if what it compares has names: parameters with debugging information (JVMS §4.7.13), fields, constants, and
//! calls of getters. Other local variables say nothing to callers. How the values were made is read from the instructions right before the jump; what is
//! calculated has no words.

use super::body::Body;
use super::class::Class;
use super::{Plan, ProbeInfo, ProbeKind};
use crate::classfile::decode::Located;
use crate::classfile::instruction::{Arithmetic, Condition, FieldAccess, InvokeKind, Number, Order};
use crate::classfile::reader::ConstantPool;
use crate::classfile::{EncodedConstant, Instruction};
use model::jvm::types::access;
use model::jvm::{Literal, MethodDescriptor};
use model::words::{capitalized, decapitalized, without_prefixes};
use std::collections::{BTreeMap, BTreeSet};

/// Longest words.
const LONGEST: usize = 30;

/// What is so where a jump is not taken, and where it is.
pub type Sides = [Option<String>; 2];

/// What jumps say, by the places of their [`ProbeKind::NotTaken`] in the plan.
pub fn branch_words(bytes: &[u8], plan: &Plan) -> BTreeMap<usize, Sides> {
    let mut words = BTreeMap::new();
    let Ok(class) = Class::read(bytes) else { return words };
    for (index, method) in class.methods.iter().enumerate() {
        let Some(Ok(body)) = method.code.map(|code| Body::read(code, &class.pool)) else { continue };
        let code = Code {
            instructions: &body.instructions,
            pool: &class.pool,
            parameters: unwritten(named(body.parameters(&class.pool)), &body.instructions),
            targets: body.instructions.iter().flat_map(Located::targets).collect(),
            has_this: method.access & access::STATIC == 0,
        };
        let is_jump = |probe: &ProbeInfo| usize::from(probe.method) == index && probe.kind == ProbeKind::NotTaken;
        let mut of_method = BTreeMap::new();
        for (number, probe) in plan.probes.iter().enumerate().filter(|(_, probe)| is_jump(probe)) {
            let pc = usize::from(probe.pc);
            let Ok(at) = body.instructions.binary_search_by_key(&pc, |located| located.pc) else { continue };
            let sides = [false, true].map(|jumps| code.said(at, jumps).filter(|said| said.len() <= LONGEST));
            of_method.insert(number, sides);
        }
        words.extend(without_contradictions(of_method));
    }
    words
}

/// What jumps of a method say of tables that they look into, which have different contents: both words would be there at once.
fn without_contradictions(mut words: BTreeMap<usize, Sides>) -> BTreeMap<usize, Sides> {
    let is_of_table = |word: &&String| ["known", "unknown", "new", "duplicate"].iter().any(|it| word.starts_with(it));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in words.values().flatten().flatten().filter(is_of_table) {
        *counts.entry(word.clone()).or_default() += 1;
    }
    words.retain(|_, sides| sides.iter().flatten().all(|word| counts.get(word).is_none_or(|count| *count == 1)));
    words
}

/// The parameters by what they are called in tests.
fn named(parameters: Vec<(u16, String, String)>) -> Vec<(u16, String, String)> {
    let names = without_prefixes(parameters.iter().map(|(_, name, _)| &**name));
    parameters
        .into_iter()
        .zip(names)
        .map(|((slot, _, descriptor), name)| (slot, name.to_string(), descriptor))
        .collect()
}

/// The parameters that the code does not write: the others may hold anything.
fn unwritten(parameters: Vec<(u16, String, String)>, instructions: &[Located]) -> Vec<(u16, String, String)> {
    let written = |located: &Located| match located.instruction {
        Instruction::Store { local, .. } | Instruction::Increment { local, .. } => Some(local.index),
        _ => None,
    };
    let written: BTreeSet<u16> = instructions.iter().filter_map(written).collect();
    parameters.into_iter().filter(|(slot, ..)| !written.contains(slot)).collect()
}

/// A method's code, and what its parameters are called.
struct Code<'a> {
    instructions: &'a [Located<'a>],
    pool: &'a ConstantPool<'a>,
    /// The slot, the name and the descriptor of those that are never written.
    parameters: Vec<(u16, String, String)>,
    /// Where jumps lead to.
    targets: BTreeSet<usize>,
    has_this: bool,
}

/// A value that is compared.
enum Operand {
    This,
    Null,
    /// A parameter, and its descriptor.
    Parameter(String, String),
    /// A field, and its descriptor.
    Field(String, String),
    /// A number, or the name of a constant.
    Constant(String),
    Call(Box<Call>),
    /// What an object is tested for, a class.
    IsOf(Box<Operand>, String),
}

struct Call {
    owner: String,
    name: String,
    /// The descriptor of what it returns.
    returns: String,
    receiver: Option<Operand>,
    arguments: Vec<Operand>,
}

impl Code<'_> {
    /// What is so if the jump at this place jumps, or if it does not.
    fn said(&self, at: usize, jumps: bool) -> Option<String> {
        let Instruction::Branch { condition, .. } = self.instructions[at].instruction else { return None };
        let condition = if jumps { condition } else { condition.negated() };
        let before = at.checked_sub(1).map(|before| &self.instructions[before].instruction);
        match condition {
            Condition::Zero(order) if matches!(before, Some(Instruction::Compare(_))) => {
                let (left, right) = self.pair(at - 1)?;
                related(&left, order, &right)
            }
            Condition::Zero(order) => of_zero(&self.operand(at)?.0, order),
            Condition::Ints(order) => {
                let (left, right) = self.pair(at)?;
                related(&left, order, &right)
            }
            Condition::Same | Condition::NotSame => {
                let (left, right) = self.pair(at)?;
                let order = if condition == Condition::Same { Order::Equal } else { Order::NotEqual };
                matches!(right, Operand::Constant(_)).then(|| related(&left, order, &right))?
            }
            Condition::Null => of_null(&self.operand(at)?.0, true),
            Condition::NonNull => of_null(&self.operand(at)?.0, false),
        }
    }

    /// The two values on top of the stack before the instruction at this place.
    fn pair(&self, at: usize) -> Option<(Operand, Operand)> {
        let (right, begin) = self.operand(at)?;
        Some((self.operand(begin)?.0, right))
    }

    /// The value on top of the stack before the instruction at this place, and where the instructions that make it begin.
    fn operand(&self, at: usize) -> Option<(Operand, usize)> {
        // Another way may lead here, with another value.
        if self.instructions.get(at).is_some_and(|located| self.targets.contains(&located.pc)) {
            return None;
        }
        let at = at.checked_sub(1)?;
        let located = &self.instructions[at];
        let operand = match located.instruction {
            Instruction::Load { local, .. } if self.has_this && local.index == 0 => Operand::This,
            Instruction::Load { local, .. } => {
                let (_, name, descriptor) = self.parameters.iter().find(|(slot, ..)| *slot == local.index)?;
                Operand::Parameter(name.clone(), descriptor.clone())
            }
            Instruction::Null => Operand::Null,
            Instruction::Constant(constant) => Operand::Constant(self.number(constant)?),
            Instruction::Field { access: FieldAccess::GetStatic, field } => {
                Operand::Constant(constant_words(&self.pool.member(field).ok()?.name)?)
            }
            Instruction::Field { access: FieldAccess::Get, field } => {
                let member = self.pool.member(field).ok()?;
                let (object, begin) = self.operand(at)?;
                let name = of_object(&object, &member.name)?;
                return Some((Operand::Field(name, member.descriptor.to_string()), begin));
            }
            Instruction::ArrayLength => {
                let (array, begin) = self.operand(at)?;
                let (owner, name, returns) = (String::new(), "length".to_string(), "I".to_string());
                let call = Call { owner, name, returns, receiver: Some(array), arguments: Vec::new() };
                return Some((Operand::Call(Box::new(call)), begin));
            }
            Instruction::InstanceOf(class) => {
                let (of, begin) = self.operand(at)?;
                let class = self.pool.class_name(class).ok()?;
                let simple = class.rsplit(['/', '$']).next().unwrap_or_default().to_string();
                return Some((Operand::IsOf(Box::new(of), simple), begin));
            }
            Instruction::CheckCast(_) | Instruction::Arithmetic(Arithmetic::Convert(_)) => return self.operand(at),
            Instruction::Invoke { kind, method } => return self.call(kind, method.index, at),
            _ => return None,
        };
        Some((operand, at))
    }

    fn call(&self, kind: InvokeKind, method: u16, at: usize) -> Option<(Operand, usize)> {
        let member = self.pool.member(method).ok()?;
        let descriptor = MethodDescriptor::parse(&member.descriptor)?;
        let mut begin = at;
        let mut arguments = Vec::new();
        for _ in &descriptor.parameters {
            let (argument, before) = self.operand(begin)?;
            arguments.push(argument);
            begin = before;
        }
        arguments.reverse();
        let receiver = match kind {
            InvokeKind::Static => None,
            InvokeKind::Virtual | InvokeKind::Special | InvokeKind::Interface => {
                let (receiver, before) = self.operand(begin)?;
                begin = before;
                Some(receiver)
            }
        };
        let returns = member.descriptor.rsplit(')').next().unwrap_or_default().to_string();
        let call =
            Call { owner: member.class.to_string(), name: member.name.to_string(), returns, receiver, arguments };
        Some((Operand::Call(Box::new(call)), begin))
    }

    fn number(&self, constant: EncodedConstant) -> Option<String> {
        let pooled = || match constant {
            EncodedConstant::Pool(index) => self.pool.literal(index.into()).ok()?,
            EncodedConstant::PoolWide(index) | EncodedConstant::PoolTwoSlots(index) => self.pool.literal(index).ok()?,
            _ => None,
        };
        let whole = match constant {
            EncodedConstant::Implicit(Number::Int | Number::Long, value) => i64::from(value),
            EncodedConstant::Implicit(..) => return None,
            EncodedConstant::Byte(_) | EncodedConstant::Short(_) => i64::from(constant.as_int()?),
            _ => match pooled()? {
                Literal::Int(value) => i64::from(value),
                Literal::Long(value) => value,
                _ => return None,
            },
        };
        Some(if whole < 0 { format!("Minus{}", whole.unsigned_abs()) } else { whole.to_string() })
    }
}

impl Operand {
    /// `hours`, `balance` for `getBalance()`, `itemsSize`, `24`, `MaxLength`.
    fn word(&self) -> Option<String> {
        match self {
            Operand::Parameter(name, _) | Operand::Field(name, _) if name.len() > 1 && is_plain(name) => {
                Some(name.clone())
            }
            Operand::Constant(text) => Some(text.clone()),
            Operand::Call(call) => call.property(),
            _ => None,
        }
    }

    /// What has so many elements, if it is their number.
    fn counted(&self) -> Option<String> {
        match self {
            Operand::Call(call) if call.counts() => call.receiver.as_ref()?.word(),
            _ => None,
        }
    }

    fn is_char(&self) -> bool {
        match self {
            Operand::Parameter(_, of) | Operand::Field(_, of) => of == "C",
            Operand::Call(call) => call.returns == "C",
            _ => false,
        }
    }

    fn capitalized(&self) -> Option<String> {
        self.word().map(|word| capitalized(&word))
    }

    fn is_zero(&self) -> bool {
        matches!(self, Operand::Constant(text) if text == "0")
    }
}

impl Call {
    fn counts(&self) -> bool {
        self.arguments.is_empty() && matches!(&*self.name, "size" | "length" | "count")
    }

    /// What a getter returns.
    fn property(&self) -> Option<String> {
        let receiver = self.receiver.as_ref().filter(|_| self.arguments.is_empty() && self.returns != "Z")?;
        if self.counts() {
            return Some(format!("{}{}", receiver.word()?, capitalized(&self.name)));
        }
        let property = match self.name.strip_prefix("get") {
            Some("") => return None,
            // Which class an object has is no property of it.
            Some("Class") => return None,
            Some(rest) if rest.starts_with(char::is_uppercase) => decapitalized(rest),
            _ if matches!(&*self.name, "next" | "hashCode" | "intValue" | "longValue" | "ordinal") => return None,
            _ => self.name.clone(),
        };
        of_object(receiver, &property)
    }

    /// What it says if it returns true, or false.
    fn said(&self, holds: bool) -> Option<String> {
        let either = |yes: &str, no: &str| if holds { yes.to_string() } else { no.to_string() };
        let receiver = || self.receiver.as_ref()?.word();
        let argument = || match &self.arguments[..] {
            [one] => one.word(),
            _ => None,
        };
        let of_argument = |yes: &str, no: &str| {
            let word = argument().filter(|word| word.starts_with(|letter: char| letter.is_ascii_lowercase()))?;
            Some(format!("{}{}", either(yes, no), capitalized(&word)))
        };
        let of_both = |yes: &str, no: &str| {
            let (one, other) = (receiver()?, capitalized(&argument()?));
            (capitalized(&one) != other).then(|| format!("{one}{}{other}", either(yes, no)))
        };
        let is_table = self.owner.starts_with("java/util/");
        match (&*self.name, self.arguments.len()) {
            ("equals" | "equalsIgnoreCase" | "contentEquals", 1) => of_both("Is", "IsNot"),
            ("isBefore" | "before", 1) => of_both("Before", "NotBefore"),
            ("isAfter" | "after", 1) => of_both("After", "NotAfter"),
            ("isPresent", 0) => Some(format!("{}{}", either("with", "without"), capitalized(&receiver()?))),
            ("isEmpty", 0) if !matches!(self.receiver, Some(Operand::This)) => {
                Some(format!("{}{}", either("empty", "nonEmpty"), capitalized(&receiver()?)))
            }
            ("isBlank", 0) => Some(format!("{}{}", either("blank", "nonBlank"), capitalized(&receiver()?))),
            ("contains" | "containsKey" | "remove", 1) if is_table => of_argument("known", "unknown"),
            ("add", 1) if is_table && self.owner.ends_with("Set") => of_argument("new", "duplicate"),
            (name, arguments) => {
                let (is_state, rest) = match (name.strip_prefix("is"), name.strip_prefix("has")) {
                    (Some(rest), _) => (true, rest),
                    (_, Some(rest)) => (false, rest),
                    _ => return None,
                };
                if !rest.starts_with(char::is_uppercase)
                    || !is_plain(rest)
                    || matches!(name, "hasNext" | "hasMoreElements")
                {
                    return None;
                }
                match (arguments, &self.receiver) {
                    (0, Some(Operand::This)) if is_state => Some(format!("{}{rest}", either("when", "whenNot"))),
                    (0, Some(Operand::This)) => Some(format!("{}{rest}", either("with", "without"))),
                    (0, Some(_)) if is_state => Some(format!("{}{}{rest}", receiver()?, either("Is", "IsNot"))),
                    (0, Some(_)) => Some(format!("{}{}{rest}", receiver()?, either("Has", "HasNo"))),
                    (1, None | Some(Operand::This)) if is_state => {
                        Some(format!("{}{}{rest}", argument()?, either("Is", "IsNot")))
                    }
                    _ => None,
                }
            }
        }
    }
}

/// Of a value that is null or not.
fn of_null(of: &Operand, is_null: bool) -> Option<String> {
    if let Operand::Call(call) = of
        && matches!((&*call.name, call.arguments.len()), ("get" | "remove", 1))
        && call.owner.ends_with("Map")
    {
        let key =
            call.arguments[0].word().filter(|word| word.starts_with(|letter: char| letter.is_ascii_lowercase()))?;
        return Some(format!("{}{}", if is_null { "unknown" } else { "known" }, capitalized(&key)));
    }
    let word = of.capitalized()?;
    match of {
        // That an argument is not null goes without saying.
        Operand::Parameter(..) => is_null.then(|| format!("null{word}")),
        _ => Some(format!("{}{word}", if is_null { "without" } else { "with" })),
    }
}

/// Of a value that is compared with 0, or of a truth value.
fn of_zero(of: &Operand, order: Order) -> Option<String> {
    let truth = match order {
        Order::Equal => Some(false),
        Order::NotEqual => Some(true),
        _ => None,
    };
    match (of, truth) {
        (Operand::Parameter(name, of) | Operand::Field(name, of), Some(holds))
            if of == "Z" && is_plain(name) && name.len() > 1 =>
        {
            let state = name.strip_prefix("is").filter(|rest| rest.starts_with(char::is_uppercase)).unwrap_or(name);
            Some(format!("{}{}", if holds { "when" } else { "whenNot" }, capitalized(state)))
        }
        (Operand::IsOf(value, class), Some(holds)) if is_plain(class) => {
            Some(format!("{}{}{class}", value.word()?, if holds { "Is" } else { "IsNot" }))
        }
        (Operand::Call(call), Some(holds)) if call.returns == "Z" => call.said(holds),
        (Operand::Call(call), _) if matches!(&*call.name, "compareTo" | "compareToIgnoreCase") => {
            match &call.arguments[..] {
                [other] => related(call.receiver.as_ref()?, order, other),
                _ => None,
            }
        }
        (Operand::Call(call), _) if &*call.name == "signum" && call.arguments.is_empty() => {
            related(call.receiver.as_ref()?, order, &Operand::Constant("0".to_string()))
        }
        _ => related(of, order, &Operand::Constant("0".to_string())),
    }
}

/// `hoursAbove24`, `negativeAmount`, `emptyItems`, `statusIsDraft`.
fn related(left: &Operand, order: Order, right: &Operand) -> Option<String> {
    if matches!(left, Operand::Constant(_)) {
        let flipped = match order {
            Order::Less => Order::Greater,
            Order::Greater => Order::Less,
            Order::LessOrEqual => Order::GreaterOrEqual,
            Order::GreaterOrEqual => Order::LessOrEqual,
            same => same,
        };
        return if matches!(right, Operand::Constant(_)) { None } else { related(right, flipped, left) };
    }
    let (name, other) = (left.word()?, right.capitalized()?);
    if capitalized(&name) == other || left.is_char() || right.is_char() {
        return None;
    }
    let counted = left.counted();
    if right.is_zero() {
        let sign = match (order, &counted) {
            (Order::Equal | Order::LessOrEqual, Some(_)) => "empty",
            (Order::NotEqual | Order::Greater, Some(_)) => "nonEmpty",
            (Order::Equal, None) => "zero",
            (Order::NotEqual, None) => "nonZero",
            (Order::Less, None) => "negative",
            (Order::GreaterOrEqual, None) => "nonNegative",
            (Order::Greater, None) => "positive",
            (Order::LessOrEqual, None) => "nonPositive",
            (Order::Less | Order::GreaterOrEqual, Some(_)) => return None,
        };
        return Some(format!("{sign}{}", capitalized(counted.as_ref().unwrap_or(&name))));
    }
    let relation = match order {
        Order::Equal => "Is",
        Order::NotEqual => "IsNot",
        Order::Less => "Below",
        Order::GreaterOrEqual => "AtLeast",
        Order::Greater => "Above",
        Order::LessOrEqual => "AtMost",
    };
    Some(format!("{name}{relation}{other}"))
}

/// A field or a property of an object: of `this` by its name alone, `balance`, of others `otherBalance`.
fn of_object(object: &Operand, name: &str) -> Option<String> {
    match object {
        _ if !is_plain(name) => None,
        Operand::This => Some(name.to_string()),
        other => Some(format!("{}{}", other.word()?, capitalized(name))),
    }
}

/// `MAX_LENGTH` → `MaxLength`
fn constant_words(name: &str) -> Option<String> {
    let is_constant = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let words = name.split('_').map(|word| capitalized(&word.to_ascii_lowercase()));
    (is_constant && name.starts_with(|letter: char| letter.is_ascii_uppercase())).then(|| words.collect())
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instrument::plan;
    use testing::compile;

    const SOURCE: &str = "
        import java.math.BigDecimal;
        import java.time.LocalDate;
        import java.util.*;

        class Desk {
            enum Status { DRAFT, SENT }
            static final int[] LIMITS = { 1 };
            static int MAX_HOURS = Integer.getInteger(\"max\", 24);
            private final Map<String, Integer> accounts = new HashMap<>();
            private final Set<String> teams = new HashSet<>();
            private Status status;
            private boolean closed;
            private boolean isLent;
            private LocalDate due;

            void f(int hours, String team, BigDecimal amount, LocalDate day, Object other) {
                if (hours > 24) { hit(); }
                if (hours < 0) { hit(); }
                if (hours >= MAX_HOURS) { hit(); }
                if (teams.add(team)) { hit(); }
                if (!accounts.containsKey(team)) { hit(); }
                if (amount.compareTo(BigDecimal.TEN) > 0) { hit(); }
                if (amount.signum() <= 0) { hit(); }
                if (status == Status.DRAFT) { hit(); }
                if (closed) { hit(); }
                if (isOverdue()) { hit(); }
                if (isLent) { hit(); }
                if (day.isAfter(due)) { hit(); }
                Integer account = accounts.get(team);
                if (account == null) { hit(); }
                if (accounts.get(team) == null) { hit(); }
                if (teams.size() == 0) { hit(); }
                if (team.isEmpty()) { hit(); }
                if (other instanceof String) { hit(); }
                if (hours + 1 > 3) { hit(); }
                if (teams.contains(team)) { hit(); }
                if (other.equals(closed ? team : due)) { hit(); }
            }
            void g(int pageSize, char sign, String word, Desk other, int width, Object value) {
                width -= 3;
                if (word == null) { hit(); }
                if (due == null) { hit(); }
                if (value instanceof String) { hit(); }
                if (word.getClass().isArray()) { hit(); }
                if (pageSize <= 0) { hit(); }
                if (sign == ',') { hit(); }
                if (word.contains(String.valueOf(sign))) { hit(); }
                if (closed == other.closed) { hit(); }
                if (due.equals(other.due)) { hit(); }
                if (width > 7) { hit(); }
            }
            boolean isOverdue() { return false; }
            static void hit() { }
        }";

    #[test]
    fn jump_is_said_in_the_names_of_what_it_compares() {
        let files = compile(SOURCE, &["-g"]);
        let bytes = &files.iter().find(|(name, _)| name == "Desk.class").unwrap().1;
        let plan = plan(bytes).unwrap();
        let words = branch_words(bytes, &plan);
        // javac jumps over the block if the condition does not hold.
        let said_in = |method: &str| {
            let is_of = |n: &usize| &*plan.methods[usize::from(plan.probes[*n].method)].0 == method;
            let of_method = words.iter().filter(|(n, _)| is_of(n));
            of_method.map(|(_, sides)| sides.clone().map(Option::unwrap_or_default)).collect::<Vec<_>>()
        };
        let expected = [
            ("hoursAbove24", "hoursAtMost24"),
            ("negativeHours", "nonNegativeHours"),
            ("hoursAtLeastMaxHours", "hoursBelowMaxHours"),
            ("newTeam", "duplicateTeam"),
            ("amountAboveTen", "amountAtMostTen"),
            ("nonPositiveAmount", "positiveAmount"),
            ("statusIsDraft", "statusIsNotDraft"),
            ("whenClosed", "whenNotClosed"),
            ("whenOverdue", "whenNotOverdue"),
            ("whenLent", "whenNotLent"),
            ("dayAfterDue", "dayNotAfterDue"),
            ("", ""),
            ("emptyTeams", "nonEmptyTeams"),
            ("emptyTeam", "nonEmptyTeam"),
            ("otherIsString", "otherIsNotString"),
            ("", ""),
            // Another way leads to what is compared.
            ("whenClosed", "whenNotClosed"),
            ("", ""),
        ];
        let written = |(holds, does_not): (&str, &str)| [holds.to_string(), does_not.to_string()];
        assert_eq!(said_in("f"), expected.map(written));
        let expected = [
            // That an argument is there goes without saying.
            ("nullWord", ""),
            ("withoutDue", "withDue"),
            ("valueIsString", "valueIsNotString"),
            ("", ""),
            ("nonPositivePageSize", "positivePageSize"),
            ("", ""),
            ("", ""),
            ("closedIsOtherClosed", "closedIsNotOtherClosed"),
            ("dueIsOtherDue", "dueIsNotOtherDue"),
            ("", ""),
        ];
        assert_eq!(said_in("g"), expected.map(written));
    }
}
