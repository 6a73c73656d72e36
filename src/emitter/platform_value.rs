//! Values of the JDK as Java source, from the canonical text that each class prints: a line of the table for each class.

use super::literal::string_text;
use super::names::Names;
use model::execution::duration::in_largest_unit;
use model::jvm::{ClassName, JavaString};

/// How the source of a value is made from its text.
enum Spelling {
    /// `UUID.fromString("…")`
    Method(&'static str),
    /// A method from this level of the Java language on, before it one of another class.
    Since(u8, &'static str, (&'static str, &'static str)),
    /// `new File("…")`
    Constructor,
    /// What a reader would rather see, if the text has the usual form; otherwise the method with the text.
    Usual(fn(&str) -> Option<Usual>, &'static str),
}

/// The part of the source that follows the name of the class.
enum Usual {
    /// `.ZERO`
    Member(String),
    /// `new BigDecimal("1.5")`
    New(String),
    /// A constant of another class: `StandardCharsets.UTF_8`.
    Of(&'static str, String),
}

const TABLE: &[(&str, Spelling)] = &[
    ("java/io/File", Spelling::Constructor),
    ("java/math/BigDecimal", Spelling::Usual(decimal, "valueOf")),
    ("java/math/BigInteger", Spelling::Usual(integer, "valueOf")),
    ("java/net/URI", Spelling::Method("create")),
    ("java/nio/charset/Charset", Spelling::Usual(charset, "forName")),
    ("java/nio/file/Path", Spelling::Since(11, "of", ("java/nio/file/Paths", "get"))),
    ("java/time/Duration", Spelling::Usual(duration, "parse")),
    ("java/time/Instant", Spelling::Usual(instant, "parse")),
    ("java/time/LocalDate", Spelling::Usual(local_date, "parse")),
    ("java/time/LocalDateTime", Spelling::Usual(local_date_time, "parse")),
    ("java/time/LocalTime", Spelling::Usual(local_time, "parse")),
    ("java/time/MonthDay", Spelling::Usual(month_day, "parse")),
    ("java/time/OffsetDateTime", Spelling::Method("parse")),
    ("java/time/OffsetTime", Spelling::Method("parse")),
    ("java/time/Period", Spelling::Usual(period, "parse")),
    ("java/time/Year", Spelling::Usual(year, "parse")),
    ("java/time/YearMonth", Spelling::Usual(year_month, "parse")),
    ("java/time/ZoneId", Spelling::Method("of")),
    ("java/time/ZoneOffset", Spelling::Usual(zone_offset, "of")),
    ("java/time/ZonedDateTime", Spelling::Method("parse")),
    ("java/util/Currency", Spelling::Method("getInstance")),
    ("java/util/Date", Spelling::Usual(date, "parse")),
    ("java/util/Locale", Spelling::Usual(locale, "forLanguageTag")),
    ("java/util/UUID", Spelling::Method("fromString")),
];

/// The expression for the value of the class that has the text, or why there is none.
pub(super) fn platform_value(
    class: &ClassName,
    text: &JavaString,
    source_level: u8,
    names: &mut Names<'_>,
) -> Result<String, String> {
    let spelling = TABLE.iter().find(|(name, _)| *name == class.internal());
    let (_, spelling) = spelling.ok_or_else(|| format!("{class} is no value of the JDK"))?;
    let quoted = string_text(text)?;
    Ok(match spelling {
        Spelling::Since(level, method, _) if source_level >= *level => {
            format!("{}.{method}({quoted})", names.class_name(class)?)
        }
        Spelling::Since(_, _, (owner, method)) => {
            format!("{}.{method}({quoted})", names.class_name(&ClassName::new(owner))?)
        }
        Spelling::Constructor => format!("new {}({quoted})", names.class_name(class)?),
        Spelling::Method(method) => format!("{}.{method}({quoted})", names.class_name(class)?),
        Spelling::Usual(usual, method) => match usual(&text.to_string()) {
            Some(Usual::Member(member)) => format!("{}.{member}", names.class_name(class)?),
            Some(Usual::New(arguments)) => format!("new {}({arguments})", names.class_name(class)?),
            Some(Usual::Of(owner, member)) => format!("{}.{member}", names.class_name(&ClassName::new(owner))?),
            None => format!("{}.{method}({quoted})", names.class_name(class)?),
        },
    })
}

fn member(text: impl Into<String>) -> Option<Usual> {
    Some(Usual::Member(text.into()))
}

fn decimal(text: &str) -> Option<Usual> {
    Some(match text {
        "0" => Usual::Member("ZERO".to_string()),
        "1" => Usual::Member("ONE".to_string()),
        "10" => Usual::Member("TEN".to_string()),
        // `valueOf(long)` has no digits after the point either.
        _ => match text.parse::<i32>() {
            Ok(number) if number > i32::MIN => Usual::Member(format!("valueOf({number})")),
            _ => Usual::New(format!("\"{text}\"")),
        },
    })
}

fn integer(text: &str) -> Option<Usual> {
    Some(match (text, text.parse::<i64>()) {
        ("0", _) => Usual::Member("ZERO".to_string()),
        ("1", _) => Usual::Member("ONE".to_string()),
        ("10", _) => Usual::Member("TEN".to_string()),
        (_, Ok(number)) if i32::try_from(number).is_ok_and(|number| number > i32::MIN) => {
            Usual::Member(format!("valueOf({number})"))
        }
        (_, Ok(number)) if number > i64::MIN => Usual::Member(format!("valueOf({number}L)")),
        _ => Usual::New(format!("\"{text}\"")),
    })
}

fn charset(text: &str) -> Option<Usual> {
    let constant = match text {
        "UTF-8" => "UTF_8",
        "UTF-16" => "UTF_16",
        "ISO-8859-1" => "ISO_8859_1",
        "US-ASCII" => "US_ASCII",
        _ => return None,
    };
    Some(Usual::Of("java/nio/charset/StandardCharsets", constant.to_string()))
}

fn duration(text: &str) -> Option<Usual> {
    match in_largest_unit(text)? {
        (_, 0) => member("ZERO"),
        (unit, number) => member(format!("of{unit}({number})")),
    }
}

fn instant(text: &str) -> Option<Usual> {
    if text == "1970-01-01T00:00:00Z" { member("EPOCH") } else { None }
}

/// Year, month and day as arguments.
fn date_arguments(text: &str) -> Option<String> {
    let (rest, day) = text.rsplit_once('-')?;
    let (year, month) = rest.rsplit_once('-')?;
    let (year, month, day) = (year_number(year)?, number(month)?, number(day)?);
    Some(format!("{year}, {month}, {day}"))
}

/// Years of more than four digits have a sign.
fn year_number(text: &str) -> Option<i32> {
    text.strip_prefix('+').unwrap_or(text).parse().ok()
}

/// Two digits.
fn number(text: &str) -> Option<u32> {
    (text.len() == 2).then(|| text.parse().ok()).flatten()
}

/// Hour, minute and what else is not zero, as arguments.
fn time_arguments(text: &str) -> Option<String> {
    let mut parts = text.split(':');
    let mut arguments = format!("{}, {}", number(parts.next()?)?, number(parts.next()?)?);
    if let Some(seconds) = parts.next() {
        let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
        arguments += &format!(", {}", number(whole)?);
        if !fraction.is_empty() {
            let nanos: u32 = format!("{fraction:0<9}").parse().ok()?;
            arguments += &format!(", {nanos}");
        }
    }
    parts.next().is_none().then_some(arguments)
}

fn local_date(text: &str) -> Option<Usual> {
    match text {
        "-999999999-01-01" => member("MIN"),
        "+999999999-12-31" => member("MAX"),
        _ => member(format!("of({})", date_arguments(text)?)),
    }
}

fn local_time(text: &str) -> Option<Usual> {
    match text {
        "00:00" => member("MIDNIGHT"),
        "12:00" => member("NOON"),
        "23:59:59.999999999" => member("MAX"),
        _ => member(format!("of({})", time_arguments(text)?)),
    }
}

fn local_date_time(text: &str) -> Option<Usual> {
    match text {
        "-999999999-01-01T00:00" => return member("MIN"),
        "+999999999-12-31T23:59:59.999999999" => return member("MAX"),
        _ => {}
    }
    let (date, time) = text.split_once('T')?;
    member(format!("of({}, {})", date_arguments(date)?, time_arguments(time)?))
}

fn month_day(text: &str) -> Option<Usual> {
    let (month, day) = text.strip_prefix("--")?.split_once('-')?;
    member(format!("of({}, {})", number(month)?, number(day)?))
}

fn year(text: &str) -> Option<Usual> {
    member(format!("of({})", year_number(text)?))
}

fn year_month(text: &str) -> Option<Usual> {
    let (year, month) = text.rsplit_once('-')?;
    member(format!("of({}, {})", year_number(year)?, number(month)?))
}

fn period(text: &str) -> Option<Usual> {
    if text == "P0D" {
        return member("ZERO");
    }
    let mut rest = text.strip_prefix('P')?;
    let mut numbers = [0; 3];
    while !rest.is_empty() {
        let end = rest.find(|letter: char| letter.is_ascii_uppercase())?;
        let at = ["Y", "M", "D"].iter().position(|unit| *unit == &rest[end..=end])?;
        numbers[at] = rest[..end].parse::<i32>().ok()?;
        rest = &rest[end + 1..];
    }
    match numbers {
        [years, 0, 0] => member(format!("ofYears({years})")),
        [0, months, 0] => member(format!("ofMonths({months})")),
        [0, 0, days] => member(format!("ofDays({days})")),
        [years, months, days] => member(format!("of({years}, {months}, {days})")),
    }
}

fn zone_offset(text: &str) -> Option<Usual> {
    let hours = match text {
        "Z" => return member("UTC"),
        "+18:00" => return member("MAX"),
        "-18:00" => return member("MIN"),
        _ => text.strip_suffix(":00").filter(|rest| rest.len() == 3)?,
    };
    member(format!("ofHours({})", hours.parse::<i32>().ok()?))
}

fn date(text: &str) -> Option<Usual> {
    Some(Usual::New(format!("{}L", text.parse::<i64>().ok()?)))
}

/// A locale by its language tag, as a person writes it, given the name of the class.
pub(super) fn locale_expression(class: &str, tag: &str) -> String {
    match locale(tag) {
        Some(Usual::Member(member)) => format!("{class}.{member}"),
        _ => format!("{class}.forLanguageTag(\"{tag}\")"),
    }
}

fn locale(text: &str) -> Option<Usual> {
    member(match text {
        "und" => "ROOT",
        "en" => "ENGLISH",
        "fr" => "FRENCH",
        "de" => "GERMAN",
        "it" => "ITALIAN",
        "ja" => "JAPANESE",
        "zh" => "CHINESE",
        "en-US" => "US",
        "en-GB" => "UK",
        "en-CA" => "CANADA",
        "fr-FR" => "FRANCE",
        "de-DE" => "GERMANY",
        "it-IT" => "ITALY",
        "ja-JP" => "JAPAN",
        "zh-CN" => "CHINA",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::types::TypeTable;

    #[track_caller]
    fn check(class: &str, texts: &[(&str, &str)]) {
        let types = TypeTable::default();
        for (text, expected) in texts {
            let mut names = Names::new(&types, "p", "ATest");
            let given = platform_value(&ClassName::new(class), &JavaString::from(*text), 8, &mut names);
            assert_eq!(given.as_deref(), Ok(*expected));
        }
    }

    #[test]
    fn numbers_keep_their_scale() {
        check(
            "java/math/BigDecimal",
            &[
                ("0", "BigDecimal.ZERO"),
                ("0.00", "new BigDecimal(\"0.00\")"),
                ("12.50", "new BigDecimal(\"12.50\")"),
                ("-3", "BigDecimal.valueOf(-3)"),
                ("3000000000", "new BigDecimal(\"3000000000\")"),
                ("1E+3", "new BigDecimal(\"1E+3\")"),
            ],
        );
        check(
            "java/math/BigInteger",
            &[
                ("10", "BigInteger.TEN"),
                ("-7", "BigInteger.valueOf(-7)"),
                ("3000000000", "BigInteger.valueOf(3000000000L)"),
                ("10000000000000000000", "new BigInteger(\"10000000000000000000\")"),
            ],
        );
    }

    #[test]
    fn dates_and_times_are_made_of_their_parts() {
        check(
            "java/time/LocalDate",
            &[
                ("2024-02-29", "LocalDate.of(2024, 2, 29)"),
                ("-0001-01-02", "LocalDate.of(-1, 1, 2)"),
                ("+12345-01-02", "LocalDate.of(12345, 1, 2)"),
                ("+999999999-12-31", "LocalDate.MAX"),
                ("noise", "LocalDate.parse(\"noise\")"),
            ],
        );
        check(
            "java/time/LocalTime",
            &[
                ("00:00", "LocalTime.MIDNIGHT"),
                ("08:30", "LocalTime.of(8, 30)"),
                ("08:30:05", "LocalTime.of(8, 30, 5)"),
                ("08:30:05.120", "LocalTime.of(8, 30, 5, 120000000)"),
            ],
        );
        check("java/time/LocalDateTime", &[("2024-02-29T00:05", "LocalDateTime.of(2024, 2, 29, 0, 5)")]);
        check("java/time/MonthDay", &[("--02-29", "MonthDay.of(2, 29)")]);
        check("java/time/Year", &[("2024", "Year.of(2024)"), ("-5", "Year.of(-5)")]);
        check("java/time/YearMonth", &[("2024-02", "YearMonth.of(2024, 2)")]);
        check(
            "java/time/Instant",
            &[
                ("1970-01-01T00:00:00Z", "Instant.EPOCH"),
                ("2024-02-29T10:15:30Z", "Instant.parse(\"2024-02-29T10:15:30Z\")"),
            ],
        );
        let text = "2024-10-27T02:30+01:00[Europe/Berlin]";
        check("java/time/ZonedDateTime", &[(text, &format!("ZonedDateTime.parse(\"{text}\")"))]);
    }

    #[test]
    fn durations_and_periods_have_the_unit_that_a_reader_expects() {
        check(
            "java/time/Duration",
            &[
                ("PT0S", "Duration.ZERO"),
                ("PT1H30M", "Duration.ofMinutes(90)"),
                ("PT48H", "Duration.ofDays(2)"),
                ("PT1M1S", "Duration.ofSeconds(61)"),
                ("PT-1.5S", "Duration.ofMillis(-1500)"),
                ("PT-0.000000001S", "Duration.ofNanos(-1)"),
                ("PT2562047788015215H30M7S", "Duration.parse(\"PT2562047788015215H30M7S\")"),
            ],
        );
        check(
            "java/time/Period",
            &[
                ("P0D", "Period.ZERO"),
                ("P14D", "Period.ofDays(14)"),
                ("P1Y-2M", "Period.of(1, -2, 0)"),
                ("P1Y", "Period.ofYears(1)"),
            ],
        );
    }

    #[test]
    fn other_values_are_made_as_people_make_them() {
        check("java/io/File", &[("a/b", "new File(\"a/b\")")]);
        check("java/net/URI", &[("a:b", "URI.create(\"a:b\")")]);
        check("java/nio/charset/Charset", &[("UTF-8", "StandardCharsets.UTF_8"), ("x", "Charset.forName(\"x\")")]);
        check("java/nio/file/Path", &[("a/b", "Paths.get(\"a/b\")")]);
        check("java/time/ZoneId", &[("Europe/Berlin", "ZoneId.of(\"Europe/Berlin\")")]);
        check(
            "java/time/ZoneOffset",
            &[
                ("Z", "ZoneOffset.UTC"),
                ("-05:00", "ZoneOffset.ofHours(-5)"),
                ("+05:30", "ZoneOffset.of(\"+05:30\")"),
                ("+01:02:03", "ZoneOffset.of(\"+01:02:03\")"),
            ],
        );
        check("java/util/Currency", &[("EUR", "Currency.getInstance(\"EUR\")")]);
        check("java/util/Date", &[("-5", "new Date(-5L)")]);
        check("java/util/Locale", &[("und", "Locale.ROOT"), ("pt-BR", "Locale.forLanguageTag(\"pt-BR\")")]);
        let uuid = "00000000-0000-0001-0000-000000000002";
        check("java/util/UUID", &[(uuid, &format!("UUID.fromString(\"{uuid}\")"))]);
    }
}
