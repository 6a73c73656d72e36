//! Has the JDK's own classes read the clock of [`PROBES`], which shows each sequence the same time, as instrumented
//! code does.

use crate::classfile::writer::PoolWriter;
use crate::instrument::{PROBES, Replacement, replace_bodies, still};

/// Classes of the JDK that hand the time on to their callers or keep it, or draw randomness from it.
///
/// Those that wait, end a session or choose a currency by it are not among them: none of that shows in a state.
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
    "java/time/Clock",
    "java/time/Clock$SystemClock",
    "java/time/Clock$SystemInstantSource",
    "java/util/Random",
    UUID,
];

const UUID: &str = "java/util/UUID";

/// The class file of one of [`CLASSES`], changed; `None` if it is not shaped as expected.
pub fn stilled(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    if name != UUID {
        return still(bytes).ok().map(|stilled| stilled.into_owned());
    }
    let code = |pool: &mut PoolWriter| {
        let [high, low] = pool.method_ref(PROBES, "randomUUID", "()Ljava/util/UUID;").to_be_bytes();
        // invokestatic; areturn
        vec![0xb8, high, low, 0xb0]
    };
    let replacement =
        Replacement { name: "randomUUID", descriptor: "()Ljava/util/UUID;", max_stack: 1, max_locals: 0, code: &code };
    replace_bodies(bytes, &[replacement]).ok()
}
