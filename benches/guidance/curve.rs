//! Draws the edges that the search covered over time, a picture per library.

use super::runs::FLAGS;
use super::{Result, files, json, number, read};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The covered edges of a run's search, in per cent, over seconds.
struct Curve {
    flags: String,
    points: Vec<(f64, f64)>,
}

pub(super) fn draw_curves(outs: &[PathBuf], to: &Path) -> Result<()> {
    let mut curves: BTreeMap<String, Vec<Curve>> = BTreeMap::new();
    for directory in outs.iter().map(|out| files(out)).collect::<Result<Vec<_>>>()?.into_iter().flatten() {
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        // Those of a comparison end with a word.
        let Some((subject, seed)) = name.rsplit_once('-') else { continue };
        if seed.parse::<u64>().is_err() {
            continue;
        }
        let total = number(&json(&directory.join("reports/report.json"))?, "/totals/edges_total")?;
        let coverage = json(&directory.join("reports/timing.json"))?["coverage"].take();
        let samples: Vec<(f64, u64, f64)> = serde_json::from_value(coverage)?;
        let points = samples.into_iter().map(|(seconds, _, edges)| (seconds, 100.0 * edges / total)).collect();
        let flags = read(&directory.join(FLAGS))?;
        curves.entry(subject.to_string()).or_default().push(Curve { flags, points });
    }
    fs::create_dir_all(to)?;
    for (subject, curves) in &curves {
        let picture = to.join(format!("{subject}.svg"));
        fs::write(&picture, svg(subject, curves))?;
        println!("{}", picture.display());
    }
    Ok(())
}

/// Legible on white and on black.
const GREY: &str = "#767676";
const COLOURS: [&str; 4] = ["#2f81f7", "#d9730d", "#2da44e", "#bf4b8a"];

/// The curves as stairs, as nothing is known to be covered between two samples, with axes from zero.
fn svg(subject: &str, curves: &[Curve]) -> String {
    const LEFT: f64 = 50.0;
    const TOP: f64 = 40.0;
    const WIDTH: f64 = 620.0;
    const HEIGHT: f64 = 280.0;
    let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
    let longest = curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).fold(0.001, f64::max);
    let x = |seconds: f64| LEFT + WIDTH * seconds / longest;
    let y = |percent: f64| bottom - HEIGHT * percent / 100.0;

    let mut lines = vec![
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif" font-size="12" fill="{GREY}">"#,
            right + 20.0,
            bottom + 50.0
        ),
        format!(r#"<text x="{LEFT}" y="20" font-size="15">{subject}: edges covered by the search</text>"#),
        format!(r#"<text x="{}" y="{}" text-anchor="middle">seconds</text>"#, LEFT + WIDTH / 2.0, bottom + 38.0),
    ];
    let rule = |x1, y1, x2, y2| {
        format!(r#"<path d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="{GREY}" stroke-opacity="0.3"/>"#)
    };
    for percent in [0.0, 20.0, 40.0, 60.0, 80.0, 100.0] {
        let y = y(percent);
        lines.push(rule(LEFT, y, right, y));
        lines.push(format!(r#"<text x="{}" y="{:.1}" text-anchor="end">{percent} %</text>"#, LEFT - 6.0, y + 4.0));
    }
    let step = distance_of_marks(longest);
    for mark in (0..).map(|index| f64::from(index) * step).take_while(|&mark| mark <= longest) {
        let x = x(mark);
        lines.push(rule(x, TOP, x, bottom));
        lines.push(format!(
            r#"<text x="{x:.1}" y="{}" text-anchor="middle">{}</text>"#,
            bottom + 18.0,
            (mark * 100.0).round() / 100.0
        ));
    }
    for (index, (curve, colour)) in curves.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let stairs: String =
            curve.points.iter().map(|&(seconds, percent)| format!("H{:.1}V{:.1}", x(seconds), y(percent))).collect();
        lines.push(format!(
            r#"<path d="M{LEFT} {bottom}{stairs}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/>"#
        ));
        let percent = curve.points.last().map_or(0.0, |point| point.1);
        let y = bottom - 12.0 - 18.0 * (curves.len() - 1 - index) as f64;
        let legend = format!("{}: {percent:.1} %", curve.flags);
        lines.push(format!(r#"<text x="{}" y="{y}" text-anchor="end" fill="{colour}">{legend}</text>"#, right - 8.0));
    }
    lines.push("</svg>\n".to_string());
    lines.join("\n")
}

/// A round number of seconds that goes into `longest` at most eight times.
fn distance_of_marks(longest: f64) -> f64 {
    let power = 10f64.powf((longest / 8.0).log10().floor());
    [1.0, 2.0, 5.0].map(|factor| factor * power).into_iter().find(|step| longest / step <= 8.0).unwrap_or(10.0 * power)
}
