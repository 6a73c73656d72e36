//! Null provenance: where the objects that a line of code uses come from, to tell where a null came from.

use super::caches::FieldName;
use super::caller_obligations::MethodName;
use super::interpret::{AbstractFrame, Domain, Evaluate, interpret, is_wide};
use crate::classfile::instruction::{Comparison, Element, FieldAccess, InvokeKind, Kind};
use crate::classfile::{Body, ClassFile, Decoder, Instruction, Method, MethodMember, Step};
use model::jvm::types::access;
use model::jvm::{Primitive, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The objects that methods use on each of their lines; the line is −1 in classes without line numbers.
pub type Uses = BTreeMap<(MethodName, i32), Vec<Use>>;

/// An object that a line uses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// What uses it.
    pub by: By,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// How an object is used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// By something that fails for null: a call of this method on it, or a use of this field of it; without a name, a use as
    /// an array or a monitor.
    Access(Arc<str>),
    /// As an argument of a call of the method, where it is this local variable.
    Argument {
        /// The method's name.
        method: Arc<str>,
        /// The local variable.
        local: u16,
    },
}

/// Where an object comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provenance {
    /// The parameter that is this local variable.
    Parameter(u16),
    /// Returned by a method, other than a lookup in a map, that was passed a parameter.
    FromParameter(MethodName),
    /// Returned by a lookup: a method that was passed a number which the caller knows, or a map that was passed a parameter as
    /// the key.
    Lookup(MethodName),
    /// Returned by an instance method without parameters.
    Getter(MethodName),
    /// Returned by a method that was passed the state of an object.
    FromState(MethodName),
    /// A field of any object, or an element of an array in a field.
    Field(FieldName),
}

/// The provenance of what methods may return: for instance methods without parameters, fields and getters, unless the
/// method may create the null itself; for all methods, lookups in maps.
pub type Returns = BTreeMap<MethodName, BTreeSet<Provenance>>;

/// Reads what the methods of classes use and return, with its provenance.
pub fn uses<'a>(classes: impl IntoIterator<Item = &'a ClassFile>) -> (Uses, Returns) {
    let (mut uses, mut returns) = (Uses::new(), Returns::new());
    for class in classes {
        let mut decoder = Decoder::new(class);
        for method in &class.methods {
            let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
            let line = |step: usize| {
                let line = method.code.as_ref().and_then(|code| code.line(body.steps[step].pc));
                line.map_or(-1, i32::from)
            };
            let name = || (class.name.clone(), method.name.clone());
            let flow = flow(method, &body);
            for (step, used) in flow.used {
                uses.entry((name(), line(step))).or_default().push(used);
            }
            let is_getter = method.access & access::STATIC == 0
                && method.descriptor.parameters.is_empty()
                && body.steps.iter().all(|step| step.instruction != Instruction::Null);
            let is_told = |provenance: &Provenance| match provenance {
                Provenance::Lookup(found) => is_lookup(found),
                provenance => is_getter && matches!(provenance, Provenance::Getter(_) | Provenance::Field(_)),
            };
            let returned: BTreeSet<Provenance> = flow.returned.into_iter().filter(is_told).collect();
            if !returned.is_empty() {
                returns.entry(name()).or_default().extend(returned);
            }
        }
    }
    for of_line in uses.values_mut() {
        of_line.sort();
        of_line.dedup();
    }
    (uses, returns)
}

fn flow(method: &Method, body: &Body) -> Flow {
    let is_static = method.access & access::STATIC != 0;
    let parameters = locals(&method.descriptor.parameters, is_static).map(|(local, of)| {
        let value = match of {
            of if is_number(of) => TracedValue::Number,
            Type::Primitive(_) => TracedValue::Other,
            _ => TracedValue::From(Provenance::Parameter(local)),
        };
        (value, is_wide(of))
    });
    let mut flow = Flow::default();
    let entry = AbstractFrame::at_entry((!is_static).then_some(TracedValue::Other), parameters);
    // What cannot be run says nothing.
    let _ = interpret(body, entry, &mut flow);
    flow
}

/// The local variables that parameters are.
pub(super) fn locals(parameters: &[Type], is_static: bool) -> impl Iterator<Item = (u16, &Type)> {
    parameters.iter().scan(u16::from(!is_static), |next, of| {
        let local = *next;
        *next += 1 + u16::from(is_wide(of));
        Some((local, of))
    })
}

/// Whether it may be a position, a size or a count.
pub(super) fn is_number(of: &Type) -> bool {
    use Primitive::*;
    matches!(of, Type::Primitive(Int | Long | Short | Byte))
}

/// Whether it is a map of the JDK that is asked for a key.
fn is_lookup((class, method): &MethodName) -> bool {
    class.internal().starts_with("java/util/") && matches!(&**method, "get" | "getProperty")
}

#[derive(Clone, Debug, PartialEq)]
enum TracedValue {
    From(Provenance),
    /// A number that the caller knows, or computed from such numbers.
    Number,
    /// A number from the state of an object, or computed from such numbers.
    State,
    Other,
}

impl TracedValue {
    /// Whether it depends on the state of an object.
    fn is_state(&self) -> bool {
        matches!(
            self,
            TracedValue::State
                | TracedValue::From(Provenance::Getter(_) | Provenance::FromState(_) | Provenance::Field(_))
        )
    }

    /// Whether the caller knows the key or number that it is.
    fn is_known(&self) -> bool {
        matches!(self, TracedValue::Number | TracedValue::From(Provenance::Lookup(_)))
    }

    /// Whether it is a parameter, or what a call made of one.
    fn is_from_parameter(&self) -> bool {
        matches!(self, TracedValue::From(Provenance::Parameter(_) | Provenance::FromParameter(_)))
    }
}

/// What an instruction reads of an array: a number of an array from some state is state, an element of an array in a field
/// comes from that field.
fn read_of_array(instruction: &Instruction, array: &TracedValue) -> TracedValue {
    match (instruction, array) {
        (
            Instruction::ArrayLoad(Element::Reference),
            TracedValue::From(Provenance::Field(_) | Provenance::Getter(_)),
        ) => array.clone(),
        (
            Instruction::ArrayLoad(Element::Int | Element::Long | Element::Byte | Element::Short)
            | Instruction::ArrayLength,
            _,
        ) if array.is_state() => TracedValue::State,
        _ => TracedValue::Other,
    }
}

/// What a call returns, judged by its operands alone.
fn result_of_call(callee: &MethodMember, is_static: bool, operands: &[TracedValue]) -> TracedValue {
    let arguments = &operands[usize::from(!is_static)..];
    let name = (callee.owner.clone(), callee.name.clone());
    let is_lookup = !is_static && is_lookup(&name) && operands[0].is_state();
    match &callee.descriptor.returns {
        Some(of) if is_number(of) && operands.iter().any(TracedValue::is_state) => TracedValue::State,
        None | Some(Type::Primitive(_)) => TracedValue::Other,
        _ if arguments.is_empty() && !is_static => TracedValue::From(Provenance::Getter(name)),
        _ if arguments.iter().any(TracedValue::is_state) => TracedValue::From(Provenance::FromState(name)),
        _ if arguments.iter().any(TracedValue::is_known) => TracedValue::From(Provenance::Lookup(name)),
        _ if arguments.iter().any(TracedValue::is_from_parameter) && is_lookup => {
            TracedValue::From(Provenance::Lookup(name))
        }
        _ if arguments.iter().any(TracedValue::is_from_parameter) => TracedValue::From(Provenance::FromParameter(name)),
        _ => TracedValue::Other,
    }
}

#[derive(Default)]
struct Flow {
    is_settled: bool,
    used: Vec<(usize, Use)>,
    returned: Vec<Provenance>,
}

impl Flow {
    fn note(&mut self, at: usize, by: By, value: &TracedValue) {
        if let (true, TracedValue::From(provenance)) = (self.is_settled, value) {
            self.used.push((at, Use { by, provenance: provenance.clone() }));
        }
    }

    /// Notes the receiver and the arguments of a call.
    fn note_operands(&mut self, at: usize, callee: &MethodMember, is_static: bool, operands: &[TracedValue]) {
        if !is_static {
            self.note(at, By::Access(callee.name.clone()), &operands[0]);
        }
        let arguments = &operands[usize::from(!is_static)..];
        for ((local, _), argument) in locals(&callee.descriptor.parameters, is_static).zip(arguments) {
            self.note(at, By::Argument { method: callee.name.clone(), local }, argument);
        }
    }
}

impl Evaluate for Flow {
    type Value = TracedValue;

    fn evaluate(
        &mut self,
        at: usize,
        step: &Step,
        operands: &[TracedValue],
        _frame: &mut AbstractFrame<TracedValue>,
    ) -> TracedValue {
        match (&step.instruction, operands) {
            (Instruction::CheckCast(_), [value]) => return value.clone(),
            (Instruction::Field { access, field }, _) if *access != FieldAccess::PutStatic => {
                if let [on, ..] = operands {
                    self.note(at, By::Access(field.name.clone()), on);
                }
                return match &field.field_type {
                    of if is_number(of) => TracedValue::State,
                    Type::Primitive(_) => TracedValue::Other,
                    _ => TracedValue::From(Provenance::Field((field.owner.clone(), field.name.clone()))),
                };
            }
            (Instruction::Throw | Instruction::MonitorEnter, [on]) => self.note(at, By::Access("".into()), on),
            (Instruction::Return(Some(Kind::Reference)), [TracedValue::From(provenance)]) if self.is_settled => {
                self.returned.push(provenance.clone());
            }
            (Instruction::ArrayLoad(_) | Instruction::ArrayStore(_) | Instruction::ArrayLength, [array, ..]) => {
                self.note(at, By::Access("".into()), array);
                return read_of_array(&step.instruction, array);
            }
            (
                Instruction::Arithmetic(_) | Instruction::Increment { .. } | Instruction::Compare(Comparison::Long),
                _,
            ) => {
                let known =
                    [TracedValue::State, TracedValue::Number].into_iter().find(|known| operands.contains(known));
                return known.unwrap_or(TracedValue::Other);
            }
            (Instruction::Invoke { kind, method: callee }, _) => {
                let is_static = *kind == InvokeKind::Static;
                self.note_operands(at, callee, is_static, operands);
                return result_of_call(callee, is_static, operands);
            }
            _ => {}
        }
        TracedValue::Other
    }
}

impl Domain for Flow {
    /// A value that may come from a field counts as coming from it; a parameter must be the same one on all paths.
    fn join(&mut self, one: &TracedValue, other: &TracedValue) -> TracedValue {
        if one == other {
            return one.clone();
        }
        let made = |value: &TracedValue| match value {
            TracedValue::From(provenance) if !matches!(provenance, Provenance::Parameter(_)) => {
                Some(provenance.clone())
            }
            _ => None,
        };
        made(one).max(made(other)).map_or(TracedValue::Other, TracedValue::From)
    }

    fn caught(&mut self) -> TracedValue {
        TracedValue::Other
    }

    fn settled(&mut self) {
        self.is_settled = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::testing::compile_and_parse;
    use model::jvm::ClassName;

    /// What lines of `C.run` use, as text.
    fn used(lines: &[&str]) -> Vec<String> {
        let members = "java.util.Map<C, C> map; C next; C[] all; int[] size; double[] share; C get() { return next; }
            C at(int i) { return all[i]; } static C look(C of) { return null; }
            static C make() { return null; } static C of(double it) { return null; }"
            .replace('\n', "");
        let body = lines.join("\n");
        let source = format!("class C {{ {members} void run(C one, int n, C... more) {{\n{body}\n}} }}");
        let classes = compile_and_parse(&source, &[]);
        let (uses, _) = uses(classes.values());
        let run = (ClassName::new("C"), Arc::from("run"));
        let used = uses.into_iter().filter(|((method, _), _)| *method == run);
        let shown = |Use { by, provenance }: Use| {
            let by = match by {
                By::Access(name) => format!(".{name}"),
                By::Argument { method, local } => format!("{method}({local})"),
            };
            let provenance = match provenance {
                Provenance::Parameter(local) => format!("{local}"),
                Provenance::FromParameter((_, name)) => format!("from-parameter {name}"),
                Provenance::Lookup((_, name)) => format!("lookup {name}"),
                Provenance::Getter((_, name)) => format!("getter {name}"),
                Provenance::FromState((_, name)) => format!("from-state {name}"),
                Provenance::Field((_, name)) => format!("{name}"),
            };
            format!("{by} {provenance}")
        };
        used.map(|((_, line), used)| {
            format!("{}: {}", line - 1, used.into_iter().map(shown).collect::<Vec<_>>().join(", "))
        })
        .collect()
    }

    #[test]
    fn provenance_is_a_field_getter_parameter_or_lookup() {
        assert_eq!(used(&["next.get();", "one.next.next = null;"]), ["1: .get next", "2: .next 1, .next next"]);
        assert_eq!(
            used(&["C it = get();", "it.get();", "one.run(it, 0);"]),
            ["2: .get getter get", "3: .run 1, run(1) getter get"]
        );
        assert_eq!(used(&["C it = at(n + 1);", "it.get();", "at(3).get();"]), ["2: .get lookup at"]);
        assert_eq!(used(&["all[2].get();", "int size = more.length;"]), ["1: . all, .get all", "2: . 3"]);
        assert_eq!(used(&["make().get();", "more[0].get();"]), ["2: . 3"]);
        assert_eq!(used(&["C it = at(size[n] ^ 1);", "it.get();"]), ["1: . size", "2: .get from-state at"]);
        assert_eq!(used(&["at(all.length).get();"]), ["1: . all, .get from-state at"]);
        assert_eq!(used(&["of(share[0] - 1).get();"]), ["1: . share"]);
        assert_eq!(
            used(&["look(look(one)).get();"]),
            ["1: .get from-parameter look, look(0) 1, look(0) from-parameter look"]
        );
        assert_eq!(
            used(&["C it = look(one.get());", "it.get();", "look(one).get();"]),
            ["1: .get 1, look(0) getter get", "2: .get from-state look", "3: .get from-parameter look, look(0) 1"]
        );
    }

    #[test]
    fn map_get_of_a_parameter_is_a_lookup() {
        assert_eq!(used(&["map.get(one).get();"]), ["1: .get lookup get, .get map, get(1) 1"]);
        assert_eq!(used(&["map.get(\"\").get();"]), ["1: .get map"]);
    }

    #[test]
    fn returned_values_come_from_fields_getters_and_lookups() {
        let classes = compile_and_parse(
            "class C {
                C next; java.util.Map<String, C> map; static C one;
                C next() { return next; }
                C nextOfNext() { return next().next(); }
                C lazy() { if (next == null) next = new C(); return next; }
                C either() { return map.isEmpty() ? next : new C(); }
                C maybe() { return map.isEmpty() ? next : null; }
                C of(String key) { return key == null ? null : map.get(key); }
                C other(C of) { return of.next; }
                static C one() { return one; }
                C made() { return new C(); }
            }",
            &[],
        );
        let (_, returns) = uses(classes.values());
        let name = |name: &str| (ClassName::new("C"), Arc::from(name));
        let field = || Provenance::Field(name("next"));
        let lookup = Provenance::Lookup((ClassName::new("java/util/Map"), "get".into()));
        let getter = Provenance::Getter(name("next"));
        let expected =
            [("next", field()), ("nextOfNext", getter), ("lazy", field()), ("either", field()), ("of", lookup)];
        let expected = expected.map(|(method, provenance)| (name(method), BTreeSet::from([provenance])));
        assert_eq!(returns, BTreeMap::from(expected));
    }

    #[test]
    fn joined_values_keep_a_field_but_not_a_parameter() {
        assert_eq!(used(&["C it = n > 0 ? make() : next;", "it.get();"]), ["2: .get next"]);
        assert_eq!(used(&["C it = n > 0 ? one : make();", "it.get();"]), [""; 0]);
        assert_eq!(used(&["for (int i = n; i < 9; i++)", "at(i).get();"]), ["2: .get lookup at"]);
        assert_eq!(used(&["while (one != null)", "{ one.get();", "one = make(); }"]), [""; 0]);
    }
}
