//! Methods that are answered here: native ones, and a few whose bodies ask for the JVM's state.
//!
//! Each answers as the JDK's does, or ends the run. A native method that is not here ends it, too.

use super::{AbruptEnd, Interpreter, Native, RunResult, Stop, memory};
use crate::heap::{HeapObject, SymbolicValue};
use crate::term::TermRelation;
use model::jvm::{ClassName, JavaString, Primitive, Type};

/// Classes whose initialisers only matter to what is never interpreted.
pub(super) const UNINITIALISED: [&str; 1] = ["java/lang/Throwable"];

/// Classes whose static fields the JVM sets when it starts.
pub(super) const STATE_OF_THE_JVM: [&str; 3] = ["java/lang/System", "java/lang/Thread", "java/lang/Runtime"];

/// System properties that are the same wherever randgen runs: in its workers the character set is set.
const PROPERTIES: [(&str, &str); 4] =
    [("file.encoding", "UTF-8"), ("line.separator", "\n"), ("file.separator", "/"), ("path.separator", ":")];

/// What answers the method, named by its class's internal name and its name.
#[expect(clippy::too_many_lines, reason = "a table: one arm a method")]
pub(super) fn find(class: &str, name: &str) -> Option<Native> {
    let native: Native = match (class, name) {
        ("java/lang/Object" | "java/lang/Class", "registerNatives") => |_, _| Ok(None),
        ("java/lang/Object", "getClass") => |machine, arguments| {
            let object = machine.object(arguments[0])?;
            let of = machine.type_of(object);
            Ok(Some(SymbolicValue::Reference(machine.heap.mirror(&of))))
        },
        ("java/lang/Object", "hashCode") | ("java/lang/System", "identityHashCode") => |machine, arguments| {
            let SymbolicValue::Reference(object) = arguments[0] else { return Ok(Some(SymbolicValue::Int(0))) };
            machine.may_guess("java.lang.Object.hashCode")?;
            Ok(Some(SymbolicValue::Int(object.number())))
        },
        ("java/lang/Runtime", "getRuntime") => |machine, _| {
            machine.may_guess("java.lang.Runtime.getRuntime")?;
            let class = machine.link(&ClassName::new("java/lang/Runtime"))?;
            machine.allocate(class).map(|runtime| Some(SymbolicValue::Reference(runtime)))
        },
        ("java/lang/Runtime", "availableProcessors") => |machine, _| {
            machine.may_guess("java.lang.Runtime.availableProcessors")?;
            Ok(Some(SymbolicValue::Int(1)))
        },
        ("java/util/concurrent/atomic/AtomicLong", "VMSupportsCS8") => |_, _| Ok(Some(SymbolicValue::TRUE)),
        ("java/util/EnumMap", "getKeyUniverse") | ("java/util/EnumSet", "getUniverse") => |machine, arguments| {
            let unsupported = || AbruptEnd::Stopped(Stop::Unsupported("the constants of an enum".to_string()));
            let Type::Class(name) = mirrored(machine, arguments[0])? else { return Err(unsupported()) };
            let descriptor = format!("()[L{};", name.internal());
            machine.call_named(name.internal(), "values", &descriptor, &[]).map(Some)
        },
        // The JDK's own questions: none is set.
        ("sun/security/action/GetPropertyAction", "privilegedGetProperties") => |machine, _| {
            machine.may_guess("java.lang.System.getProperties")?;
            machine.constructed(&ClassName::new("java/util/Properties")).map(Some)
        },
        ("jdk/internal/util/StaticProperty", "javaLocaleUseOldISOCodes") => {
            |machine, _| machine.interned(&JavaString::from("")).map(Some)
        }
        // What a JVM without a language in its environment has.
        ("java/util/Locale", "initDefault") => |machine, _| {
            machine.may_guess("java.util.Locale.getDefault")?;
            let (language, none) = (JavaString::from("en"), JavaString::from(""));
            let (language, none) = (machine.interned(&language)?, machine.interned(&none)?);
            let descriptor = "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Ljava/util/Locale;";
            machine.call_named("java/util/Locale", "getInstance", descriptor, &[language, none, none]).map(Some)
        },
        ("java/lang/System", "lineSeparator") => |machine, _| machine.interned(&JavaString::from("\n")).map(Some),
        ("java/lang/Object", "clone") => |machine, arguments| machine.copied(arguments[0]).map(Some),
        ("java/lang/Object", "notify" | "notifyAll") => |_, _| Ok(None),
        ("java/lang/Throwable", "fillInStackTrace") => |_, arguments| Ok(Some(arguments[0])),
        ("java/lang/Throwable", "addSuppressed" | "setStackTrace") => |_, _| Ok(None),
        ("java/lang/System", "arraycopy") => |machine, arguments| copy(machine, arguments).map(|()| None),
        ("java/lang/Float", "floatToRawIntBits" | "intBitsToFloat")
        | ("java/lang/Double", "doubleToRawLongBits" | "longBitsToDouble") => |machine, arguments| {
            Ok(Some(match machine.narrow(arguments[0], "floating-point arithmetic")? {
                SymbolicValue::Float(bits) => SymbolicValue::Int(bits as i32),
                SymbolicValue::Int(bits) => SymbolicValue::Float(bits as u32),
                SymbolicValue::Double(bits) => SymbolicValue::Long(bits as i64),
                SymbolicValue::Long(bits) => SymbolicValue::Double(bits as u64),
                other => other,
            }))
        },
        ("java/lang/Math" | "java/lang/StrictMath", "sqrt") => |_, arguments| {
            let SymbolicValue::Double(bits) = arguments[0] else { unreachable!("verified code gives it a double") };
            Ok(Some(SymbolicValue::Double(f64::from_bits(bits).sqrt().to_bits())))
        },
        ("java/lang/String", "intern") => |machine, arguments| {
            let text = machine.object(arguments[0])?;
            let Some(units) = machine.known_units(text)? else {
                return Err(AbruptEnd::Stopped(Stop::Unsupported("java.lang.String.intern".to_string())));
            };
            let text_of = JavaString::from_units(&units);
            if machine.heap.interned(&text_of).is_none() {
                machine.heap.intern(text_of.clone(), text);
            }
            Ok(machine.heap.interned(&text_of).map(SymbolicValue::Reference))
        },
        ("java/lang/StringUTF16", "isBigEndian") => |_, _| Ok(Some(SymbolicValue::FALSE)),
        // What the JDK keeps of an earlier start is not there, and no property is set.
        ("jdk/internal/misc/CDS", "initializeFromArchive") => |_, _| Ok(None),
        ("jdk/internal/misc/CDS", "isDumpingClassList0" | "isDumpingArchive0" | "isSharingEnabled0") => {
            |_, _| Ok(Some(SymbolicValue::FALSE))
        }
        // Anything but 0: the order of `Set.of` is a run's own, here as there.
        ("jdk/internal/misc/CDS", "getRandomSeedForDumping") => |_, _| Ok(Some(SymbolicValue::Long(1))),
        ("java/lang/System", "getSecurityManager") => |_, _| Ok(Some(SymbolicValue::Null)),
        ("java/lang/System", "getProperty") => |machine, arguments| {
            let name = machine.known_text(arguments[0])?;
            let known = PROPERTIES.iter().find(|(known, _)| *known == name);
            let unknown = || AbruptEnd::Stopped(Stop::Unsupported(format!("the system property {name}")));
            let (_, value) = known.ok_or_else(unknown)?;
            machine.interned(&JavaString::from(*value)).map(Some)
        },
        ("jdk/internal/misc/VM", "getSavedProperty") => |_, _| Ok(Some(SymbolicValue::Null)),
        ("jdk/internal/misc/VM", "initialize" | "initializeFromArchive") => |_, _| Ok(None),
        ("java/lang/Class", _) => return find_of_class(name),
        ("jdk/internal/misc/Unsafe", _) => return memory::find(name),
        // Nothing was compared: all elements are left for the loop that compares one after the other.
        ("jdk/internal/util/ArraysSupport", "vectorizedMismatch") => |_, arguments| {
            let SymbolicValue::Int(length) = arguments[4] else { return Err(AbruptEnd::Stopped(Stop::Undecided)) };
            Ok(Some(SymbolicValue::Int(!length)))
        },
        ("java/lang/reflect/Array", "newArray") => |machine, arguments| {
            let of = Type::array(mirrored(machine, arguments[0])?);
            let length = machine.length(arguments[1])?;
            machine.new_array(&of, length).map(|array| Some(SymbolicValue::Reference(array)))
        },
        _ => return None,
    };
    Some(native)
}

#[expect(clippy::too_many_lines, reason = "a table: one arm a method")]
fn find_of_class(name: &str) -> Option<Native> {
    let native: Native = match name {
        // Tests run with assertions, the JDK does not.
        "desiredAssertionStatus" => |machine, arguments| {
            let of = mirrored(machine, arguments[0])?.descriptor();
            let is_of_the_jdk =
                ["Ljava/", "Ljavax/", "Ljdk/", "Lsun/", "Lcom/sun/"].iter().any(|root| of.starts_with(root));
            Ok(Some(SymbolicValue::boolean(!is_of_the_jdk)))
        },
        "isArray" => |machine, arguments| {
            let of = mirrored(machine, arguments[0])?;
            Ok(Some(SymbolicValue::boolean(matches!(of, Type::Array(_)))))
        },
        "isPrimitive" => |machine, arguments| {
            let of = mirrored(machine, arguments[0])?;
            Ok(Some(SymbolicValue::boolean(of.is_primitive())))
        },
        "isInterface" => |machine, arguments| {
            let Type::Class(name) = mirrored(machine, arguments[0])? else { return Ok(Some(SymbolicValue::FALSE)) };
            let class = machine.link(&name)?;
            Ok(Some(SymbolicValue::boolean(machine.world.classes.get(class).is_interface())))
        },
        "getComponentType" => |machine, arguments| {
            let of = mirrored(machine, arguments[0])?;
            let Type::Array(element) = of else { return Ok(Some(SymbolicValue::Null)) };
            Ok(Some(SymbolicValue::Reference(machine.heap.mirror(&element))))
        },
        "getPrimitiveClass" => |machine, arguments| {
            let name = machine.known_text(arguments[0])?;
            let primitive = Primitive::ALL.into_iter().find(|primitive| primitive.keyword() == name);
            let missing = || AbruptEnd::Stopped(Stop::Unsupported(format!("the class {name}")));
            let of = Type::Primitive(primitive.ok_or_else(missing)?);
            Ok(Some(SymbolicValue::Reference(machine.heap.mirror(&of))))
        },
        "getName" => |machine, arguments| {
            let name = match mirrored(machine, arguments[0])? {
                Type::Class(name) => name.binary(),
                Type::Primitive(primitive) => primitive.keyword().to_string(),
                array => array.descriptor().replace('/', "."),
            };
            let text = JavaString::from_units(&name.encode_utf16().collect::<Vec<u16>>());
            machine.interned(&text).map(Some)
        },
        "isInstance" => |machine, arguments| {
            let of = mirrored(machine, arguments[0])?;
            let SymbolicValue::Reference(object) = arguments[1] else { return Ok(Some(SymbolicValue::FALSE)) };
            machine.is_instance(object, &of).map(|is| Some(SymbolicValue::boolean(is)))
        },
        "isAssignableFrom" => |machine, arguments| {
            let (to, from) = (mirrored(machine, arguments[0])?, mirrored(machine, arguments[1])?);
            let missing = || AbruptEnd::Stopped(Stop::Unsupported(format!("the missing class {to}")));
            let is = machine.world.classes.is_assignable(&from, &to).ok_or_else(missing)?;
            Ok(Some(SymbolicValue::boolean(is)))
        },
        // Of what the JDK looks up by name, such as character sets.
        "getClassLoader0" => |machine, arguments| match mirrored(machine, arguments[0])? {
            Type::Class(name) if is_of_java_base(&name) => Ok(Some(SymbolicValue::Null)),
            _ => Err(AbruptEnd::Stopped(Stop::Unsupported("java.lang.Class.getClassLoader".to_string()))),
        },
        "forName" => |machine, arguments| {
            let name = machine.known_text(arguments[0])?;
            let name = ClassName::new(&name.replace('.', "/"));
            if !is_of_java_base(&name) || arguments.get(2) != Some(&SymbolicValue::Null) {
                return Err(AbruptEnd::Stopped(Stop::Unsupported("java.lang.Class.forName".to_string())));
            }
            let class = machine.link(&name)?;
            machine.initialise(class)?;
            Ok(Some(SymbolicValue::Reference(machine.heap.mirror(&Type::Class(name)))))
        },
        "newInstance" => |machine, arguments| {
            let unsupported = || AbruptEnd::Stopped(Stop::Unsupported("java.lang.Class.newInstance".to_string()));
            let Type::Class(name) = mirrored(machine, arguments[0])? else { return Err(unsupported()) };
            if !is_of_java_base(&name) {
                return Err(unsupported());
            }
            machine.constructed(&name).map(Some)
        },
        "getSuperclass" => |machine, arguments| {
            let Type::Class(name) = mirrored(machine, arguments[0])? else {
                return Err(AbruptEnd::Stopped(Stop::Unsupported("java.lang.Class.getSuperclass".to_string())));
            };
            let class = machine.link(&name)?;
            let above = machine.world.classes.get(class);
            if above.is_interface() {
                return Ok(Some(SymbolicValue::Null));
            }
            let Some(above) = above.file.super_class.clone() else { return Ok(Some(SymbolicValue::Null)) };
            Ok(Some(SymbolicValue::Reference(machine.heap.mirror(&Type::Class(above)))))
        },
        _ => return None,
    };
    Some(native)
}

impl Interpreter<'_, '_, '_> {
    /// A new object that its constructor without parameters made.
    fn constructed(&mut self, class: &ClassName) -> RunResult<SymbolicValue> {
        let linked = self.link(class)?;
        let object = SymbolicValue::Reference(self.instantiate(linked)?);
        self.call_named(class.internal(), "<init>", "()V", &[object])?;
        Ok(object)
    }

    /// A string that names something.
    fn known_text(&mut self, text: SymbolicValue) -> RunResult<String> {
        let text = self.object(text)?;
        Ok(String::from_utf16_lossy(&self.known_units(text)?.unwrap_or_default()))
    }

    /// What only the JVM knows, such as identity hashes, is made up on a guided path alone, as a JVM runs what is found there
    /// all the same; elsewhere it ends the run.
    fn may_guess(&self, what: &str) -> RunResult<()> {
        if self.path.is_guided() { Ok(()) } else { Err(AbruptEnd::Stopped(Stop::Unsupported(what.to_string()))) }
    }
}

/// Classes that the JVM's own loader has.
fn is_of_java_base(class: &ClassName) -> bool {
    ["java/lang/", "java/util/", "java/io/", "java/nio/", "sun/nio/", "jdk/internal/"]
        .iter()
        .any(|root| class.internal().starts_with(root))
}

/// The type that a `Class` object stands for.
fn mirrored(machine: &mut Interpreter, value: SymbolicValue) -> RunResult<Type> {
    let reference = machine.object(value)?;
    match machine.heap.object(reference) {
        HeapObject::Mirror(of) => Ok(of.clone()),
        _ => unreachable!("verified code gives it a class"),
    }
}

/// `System.arraycopy`.
fn copy(machine: &mut Interpreter, arguments: &[SymbolicValue]) -> RunResult<()> {
    let &[from, from_index, to, to_index, length] = arguments else { unreachable!("it has five parameters") };
    let (from, to) = (machine.object(from)?, machine.object(to)?);
    let (HeapObject::Array { of: from_type, .. }, HeapObject::Array { of: to_type, .. }) =
        (machine.heap.object(from), machine.heap.object(to))
    else {
        return machine.throw("java/lang/ArrayStoreException", None);
    };
    let element = |of: &Type| if let Type::Array(element) = of { (**element).clone() } else { of.clone() };
    let (from_element, to_element) = (element(from_type), element(to_type));
    if from_element != to_element && (from_element.is_primitive() || to_element.is_primitive()) {
        return machine.throw("java/lang/ArrayStoreException", None);
    }
    let (from_length, to_length) = (machine.heap.elements(from).len(), machine.heap.elements(to).len());
    let mut numbers = [0i64; 3];
    for (number, value) in numbers.iter_mut().zip([from_index, to_index, length]) {
        if machine.holds(TermRelation::Less, value, SymbolicValue::Int(0))? {
            return machine.throw("java/lang/ArrayIndexOutOfBoundsException", None);
        }
        let SymbolicValue::Int(known) = machine.narrow(value, "a part of an array")? else {
            unreachable!("it is an int")
        };
        *number = known.into();
    }
    let [from_index, to_index, length] = numbers;
    if from_index + length > from_length as i64 || to_index + length > to_length as i64 {
        return machine.throw("java/lang/ArrayIndexOutOfBoundsException", None);
    }
    let part = from_index as usize..(from_index + length) as usize;
    let values = machine.heap.elements(from)[part].to_vec();
    for (offset, value) in values.into_iter().enumerate() {
        // Elements before one that does not fit are copied.
        if let SymbolicValue::Reference(object) = value
            && !machine.is_instance(object, &to_element)?
        {
            return machine.throw("java/lang/ArrayStoreException", None);
        }
        machine.heap.elements_mut(to)[to_index as usize + offset] = value;
    }
    Ok(())
}

/// What boxes a number that is not known: nothing can be said of the box's identity, so that each is a new one.
pub(super) fn find_boxing(class: &str, name: &str, descriptor: &str) -> Option<Native> {
    let is_boxing = name == "valueOf" && descriptor.as_bytes().get(2) == Some(&b')');
    let native: Native = match class {
        _ if !is_boxing => return None,
        "java/lang/Integer" => |machine, arguments| boxed(machine, "java/lang/Integer", arguments[0]),
        "java/lang/Long" => |machine, arguments| boxed(machine, "java/lang/Long", arguments[0]),
        "java/lang/Short" => |machine, arguments| boxed(machine, "java/lang/Short", arguments[0]),
        "java/lang/Byte" => |machine, arguments| boxed(machine, "java/lang/Byte", arguments[0]),
        "java/lang/Character" => |machine, arguments| boxed(machine, "java/lang/Character", arguments[0]),
        _ => return None,
    };
    Some(native)
}

fn boxed(machine: &mut Interpreter, class: &str, value: SymbolicValue) -> RunResult<Option<SymbolicValue>> {
    let class = machine.link(&ClassName::new(class))?;
    let object = machine.instantiate(class)?;
    let slot = machine.world.classes.get(class).slot("value").expect("a box has a value");
    machine.heap.set_field(object, slot, value);
    Ok(Some(SymbolicValue::Reference(object)))
}
