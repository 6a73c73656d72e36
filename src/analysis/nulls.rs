//! Where the objects come from that methods use, line by line: when one is null, whose doing it may be.

use super::caches::FieldName;
use super::duties::MethodName;
use super::interpret::{Domain, Evaluate, Frame, interpret, is_wide};
use crate::classfile::{Body, ClassFile, Decoder, Method, Operand, Step, opcode};
use crate::jvm::types::access;
use crate::jvm::{Primitive, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What methods use on each of their lines, −1 in classes without any.
pub type Uses = BTreeMap<(MethodName, i32), Vec<Use>>;

/// An object that a line uses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    pub by: By,
    pub origin: Origin,
}

/// What uses an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// What fails for null: a call of the method on it, a use of its field; without a name that of an array or a monitor.
    Access(Arc<str>),
    /// A call of the method, as the argument that is this local variable there.
    Argument { method: Arc<str>, local: u16 },
}

/// Where an object is from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The parameter that is this local variable.
    Parameter(u16),
    /// What another method than a map's returned that was given a parameter.
    Asked(MethodName),
    /// What a method returned that was given a number which the caller knows, or a map that was given a parameter as the key.
    Found(MethodName),
    /// What a method without parameters returned.
    Got(MethodName),
    /// What a method returned that was given what an object held.
    Derived(MethodName),
    /// A field, of whatever object, or an element of an array that is one.
    Field(FieldName),
}

/// Where methods have from what they return, on any way: those without parameters, of an object, from a field or a getter,
/// unless they may make the null themselves; and all from a map.
pub type Returns = BTreeMap<MethodName, BTreeSet<Origin>>;

/// Reads what the methods of classes use and return.
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
                && body.steps.iter().all(|step| step.opcode != opcode::ACONST_NULL);
            let is_told = |origin: &Origin| match origin {
                Origin::Found(found) => is_lookup(found),
                origin => is_getter && matches!(origin, Origin::Got(_) | Origin::Field(_)),
            };
            let returned: BTreeSet<Origin> = flow.returned.into_iter().filter(is_told).collect();
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
            of if is_number(of) => Value::Number,
            Type::Primitive(_) => Value::Other,
            _ => Value::From(Origin::Parameter(local)),
        };
        (value, is_wide(of))
    });
    let mut flow = Flow::default();
    let entry = Frame::at_entry((!is_static).then_some(Value::Other), parameters);
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
enum Value {
    From(Origin),
    /// Made of numbers that the caller knows.
    Number,
    /// Made of numbers that an object holds.
    Held,
    Other,
}

#[derive(Default)]
struct Flow {
    is_settled: bool,
    used: Vec<(usize, Use)>,
    returned: Vec<Origin>,
}

impl Flow {
    fn note(&mut self, at: usize, by: By, value: &Value) {
        if let (true, Value::From(origin)) = (self.is_settled, value) {
            self.used.push((at, Use { by, origin: origin.clone() }));
        }
    }
}

impl Evaluate for Flow {
    type Value = Value;

    fn evaluate(&mut self, at: usize, step: &Step, operands: &[Value], _frame: &mut Frame<Value>) -> Value {
        use opcode::*;
        let is_held = |value: &Value| {
            matches!(value, Value::Held | Value::From(Origin::Got(_) | Origin::Derived(_) | Origin::Field(_)))
        };
        let is_array = matches!(step.opcode, IALOAD..ISTORE | IASTORE..POP | ARRAYLENGTH);
        match (step.opcode, &step.operand, operands) {
            (CHECKCAST, _, [value]) => return value.clone(),
            (GETFIELD | PUTFIELD | GETSTATIC, Operand::Field(field), _) => {
                if let [on, ..] = operands {
                    self.note(at, By::Access(field.name.clone()), on);
                }
                return match &field.field_type {
                    of if is_number(of) => Value::Held,
                    Type::Primitive(_) => Value::Other,
                    _ => Value::From(Origin::Field((field.owner.clone(), field.name.clone()))),
                };
            }
            (ATHROW | MONITORENTER, _, [on]) => self.note(at, By::Access("".into()), on),
            (ARETURN, _, [Value::From(origin)]) if self.is_settled => self.returned.push(origin.clone()),
            (_, _, [array, ..]) if is_array => {
                self.note(at, By::Access("".into()), array);
                match (step.opcode, array) {
                    (AALOAD, Value::From(Origin::Field(_) | Origin::Got(_))) => return array.clone(),
                    (IALOAD | LALOAD | BALOAD | SALOAD | ARRAYLENGTH, _) if is_held(array) => return Value::Held,
                    _ => {}
                }
            }
            (IADD..=LCMP, _, _) if operands.contains(&Value::Held) => return Value::Held,
            (IADD..=LCMP, _, _) if operands.contains(&Value::Number) => return Value::Number,
            (_, Operand::Method(callee), _) => {
                let is_static = step.opcode == INVOKESTATIC;
                if !is_static {
                    self.note(at, By::Access(callee.name.clone()), &operands[0]);
                }
                let arguments = &operands[usize::from(!is_static)..];
                for ((local, _), argument) in locals(&callee.descriptor.parameters, is_static).zip(arguments) {
                    self.note(at, By::Argument { method: callee.name.clone(), local }, argument);
                }
                let name = (callee.owner.clone(), callee.name.clone());
                let is_known = |value: &Value| matches!(value, Value::Number | Value::From(Origin::Found(_)));
                let is_asked = |value: &Value| matches!(value, Value::From(Origin::Parameter(_) | Origin::Asked(_)));
                let is_lookup = !is_static && is_lookup(&name) && is_held(&operands[0]);
                return match &callee.descriptor.returns {
                    Some(of) if is_number(of) && operands.iter().any(is_held) => Value::Held,
                    None | Some(Type::Primitive(_)) => Value::Other,
                    _ if arguments.is_empty() && !is_static => Value::From(Origin::Got(name)),
                    _ if arguments.iter().any(is_held) => Value::From(Origin::Derived(name)),
                    _ if arguments.iter().any(is_known) => Value::From(Origin::Found(name)),
                    _ if arguments.iter().any(is_asked) && is_lookup => Value::From(Origin::Found(name)),
                    _ if arguments.iter().any(is_asked) => Value::From(Origin::Asked(name)),
                    _ => Value::Other,
                };
            }
            _ => {}
        }
        Value::Other
    }
}

impl Domain for Flow {
    /// What may be from a field is; a parameter must be one on all ways.
    fn join(&mut self, one: &Value, other: &Value) -> Value {
        if one == other {
            return one.clone();
        }
        let made = |value: &Value| match value {
            Value::From(origin) if !matches!(origin, Origin::Parameter(_)) => Some(origin.clone()),
            _ => None,
        };
        made(one).max(made(other)).map_or(Value::Other, Value::From)
    }

    fn caught(&mut self) -> Value {
        Value::Other
    }

    fn settled(&mut self) {
        self.is_settled = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::testing::compile_and_parse;
    use crate::jvm::ClassName;

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
        let shown = |Use { by, origin }: Use| {
            let by = match by {
                By::Access(name) => format!(".{name}"),
                By::Argument { method, local } => format!("{method}({local})"),
            };
            let origin = match origin {
                Origin::Parameter(local) => format!("{local}"),
                Origin::Asked((_, name)) => format!("asked {name}"),
                Origin::Found((_, name)) => format!("found {name}"),
                Origin::Got((_, name)) => format!("got {name}"),
                Origin::Derived((_, name)) => format!("derived {name}"),
                Origin::Field((_, name)) => format!("{name}"),
            };
            format!("{by} {origin}")
        };
        used.map(|((_, line), used)| {
            format!("{}: {}", line - 1, used.into_iter().map(shown).collect::<Vec<_>>().join(", "))
        })
        .collect()
    }

    #[test]
    fn objects_come_from_fields_getters_parameters_and_numbers() {
        assert_eq!(used(&["next.get();", "one.next.next = null;"]), ["1: .get next", "2: .next 1, .next next"]);
        assert_eq!(
            used(&["C it = get();", "it.get();", "one.run(it, 0);"]),
            ["2: .get got get", "3: .run 1, run(1) got get"]
        );
        assert_eq!(used(&["C it = at(n + 1);", "it.get();", "at(3).get();"]), ["2: .get found at"]);
        assert_eq!(used(&["all[2].get();", "int size = more.length;"]), ["1: . all, .get all", "2: . 3"]);
        assert_eq!(used(&["make().get();", "more[0].get();"]), ["2: . 3"]);
        assert_eq!(used(&["C it = at(size[n] ^ 1);", "it.get();"]), ["1: . size", "2: .get derived at"]);
        assert_eq!(used(&["at(all.length).get();"]), ["1: . all, .get derived at"]);
        assert_eq!(used(&["of(share[0] - 1).get();"]), ["1: . share"]);
        assert_eq!(used(&["look(look(one)).get();"]), ["1: .get asked look, look(0) 1, look(0) asked look"]);
        assert_eq!(
            used(&["C it = look(one.get());", "it.get();", "look(one).get();"]),
            ["1: .get 1, look(0) got get", "2: .get derived look", "3: .get asked look, look(0) 1"]
        );
    }

    #[test]
    fn maps_are_asked_for_parameters() {
        assert_eq!(used(&["map.get(one).get();"]), ["1: .get found get, .get map, get(1) 1"]);
        assert_eq!(used(&["map.get(\"\").get();"]), ["1: .get map"]);
    }

    #[test]
    fn what_methods_return_is_from_fields_getters_and_maps() {
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
        let field = || Origin::Field(name("next"));
        let found = Origin::Found((ClassName::new("java/util/Map"), "get".into()));
        let got = Origin::Got(name("next"));
        let expected = [("next", field()), ("nextOfNext", got), ("lazy", field()), ("either", field()), ("of", found)];
        let expected = expected.map(|(method, origin)| (name(method), BTreeSet::from([origin])));
        assert_eq!(returns, BTreeMap::from(expected));
    }

    #[test]
    fn what_may_be_from_a_field_is_and_a_parameter_must_be_one() {
        assert_eq!(used(&["C it = n > 0 ? make() : next;", "it.get();"]), ["2: .get next"]);
        assert_eq!(used(&["C it = n > 0 ? one : make();", "it.get();"]), [""; 0]);
        assert_eq!(used(&["for (int i = n; i < 9; i++)", "at(i).get();"]), ["2: .get found at"]);
        assert_eq!(used(&["while (one != null)", "{ one.get();", "one = make(); }"]), [""; 0]);
    }
}
