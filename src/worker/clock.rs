//! Has the JDK's own classes read the clock of [`PROBES`], which shows each sequence the same time, as instrumented
//! code does; and list methods in one order, where HotSpot has that of the addresses of their names.

use bytecode::classfile::instruction::InvokeKind;
use bytecode::classfile::writer::PoolWriter;
use bytecode::classfile::{EncodedLocal, EncodedMethod, Instruction, Kind, encode_all};
use bytecode::instrument::{PROBES, Replacement, replace_bodies, still};

/// Classes of the JDK that hand the time on to their callers or keep it, or list methods.
///
/// Others that wait, end a session or choose a currency by it are not among them: none of that shows in a state.
pub const CLASSES: &[&str] = &[
    "java/util/Date",
    "java/util/GregorianCalendar",
    "java/util/JapaneseImperialCalendar",
    // `Calendar.getInstance`
    "sun/util/locale/provider/CalendarProviderImpl",
    "sun/util/calendar/AbstractCalendar",
    "sun/util/calendar/Gregorian",
    "sun/util/calendar/JulianCalendar",
    "sun/util/calendar/LocalGregorianCalendar",
    // The century of years of two digits.
    "java/text/SimpleDateFormat",
    "java/util/zip/ZipOutputStream",
    // Its `sleep`.
    "java/util/concurrent/TimeUnit",
    "java/time/Clock",
    "java/time/Clock$SystemClock",
    "java/time/Clock$SystemInstantSource",
    UUID,
    REFLECTION,
];

const UUID: &str = "java/util/UUID";
/// What every `Class.getDeclaredMethods` and `getMethods` goes through.
const REFLECTION: &str = "jdk/internal/reflect/Reflection";

const METHODS: &str = "([Ljava/lang/reflect/Method;)[Ljava/lang/reflect/Method;";
const FILTER: &str = "(Ljava/lang/Class;[Ljava/lang/reflect/Method;)[Ljava/lang/reflect/Method;";

/// The class file of one of [`CLASSES`], changed; `None` if it is not shaped as expected.
pub fn stilled(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    // What is loaded before: nothing, and the second parameter, as the JDK's filter hides fields alone.
    let second = Instruction::Load { kind: Kind::Reference, local: EncodedLocal::implicit(1) };
    let (method, descriptor, locals, stands_in, load) = match name {
        UUID => ("randomUUID", "()Ljava/util/UUID;", 0, ("randomUUID", "()Ljava/util/UUID;"), None),
        REFLECTION => ("filterMethods", FILTER, 2, ("inOrder", METHODS), Some(second)),
        _ => return still(bytes).ok().map(|stilled| stilled.into_owned()),
    };
    let code = |pool: &mut PoolWriter| {
        let method = EncodedMethod { index: pool.method_ref(PROBES, stands_in.0, stands_in.1), slots: 0 };
        let call = Instruction::Invoke { kind: InvokeKind::Static, method };
        encode_all(&Vec::from_iter(load.into_iter().chain([call, Instruction::Return(Some(Kind::Reference))])))
    };
    let replacement = Replacement { name: method, descriptor, max_stack: 1, max_locals: locals, code: &code };
    replace_bodies(bytes, &[replacement]).ok()
}
