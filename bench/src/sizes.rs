//! Whole commands as their file grows, and as it comes from and goes to other places.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use arcfour_measure::{Goal, Meter};
use plotters::{coord::Shift, prelude::*};
use tempfile::TempDir;

use crate::{
    commands::{CommandTiming, Filter, Place, measure},
    sealed::Sealed,
    tables,
};

/// Bytes of the files, those of the largest not on any disk: the file has holes, which read as 0.
pub const FULL: &[u64] = &[1 << 10, 1 << 15, 1 << 20, 1 << 25, 1 << 30, 1 << 34];
/// Sizes of a smoke run.
pub const QUICK: &[u64] = &[1 << 10, 1 << 20];
/// A sealed file has no holes, so that this is the largest that is opened.
const LARGEST_SEALED: u64 = 1 << 30;
/// The size at which places are compared.
const PLACES_AT: u64 = 1 << 30;
const RUNS: Goal = Goal { wanted: 3, tries: 9 };

/// A command at one size and place.
pub struct Point {
    pub place: Place,
    pub row: CommandTiming,
}

/// Measures all commands at all sizes, and at one size at all places.
pub fn points(
    meter: &mut Meter,
    filters: &[&Filter],
    open: &Filter,
    sealed: &Sealed,
    sizes: &[u64],
) -> Result<Vec<Point>> {
    let folder = TempDir::new()?;
    let mut points = vec![];
    for &bytes in sizes {
        let input = holes(&folder, bytes)?;
        let places = if bytes == PLACES_AT { &Place::ALL[..] } else { &[Place::Null] };
        for &place in places {
            eprintln!("{}, {}", tables::size(bytes), place.name());
            let mut rows = measure(meter, filters.iter().copied(), &input, place, RUNS)?;
            if bytes <= LARGEST_SEALED {
                let file = sealed.sealed(&input)?;
                rows.extend(measure(meter, [open], file.path(), place, RUNS)?);
            }
            points.extend(rows.into_iter().map(|row| Point { place, row }));
        }
    }
    Ok(points)
}

/// A file of that many bytes 0, none of them on the disk.
fn holes(folder: &TempDir, bytes: u64) -> Result<PathBuf> {
    let path = folder.path().join(bytes.to_string());
    File::create(&path)?.set_len(bytes).with_context(|| format!("a file of {bytes} bytes"))?;
    Ok(path)
}

/// The table, as Markdown.
pub fn table(points: &[Point]) -> String {
    let head = [
        "command",
        "input",
        "from and to",
        "seconds",
        "quartiles",
        "MB/s",
        "peak MiB",
        "accepted",
        "runs",
    ];
    let rows = points.iter().map(|Point { place, row }| {
        let [_, lower, upper] = row.summary.nanos_spread.map(|nanos| nanos / 1e9);
        vec![
            row.name.to_string(),
            tables::size(row.bytes),
            place.name().to_string(),
            format!("{:.4}{}", row.summary.nanos / 1e9, tables::noise(row.summary.quiet)),
            format!("{lower:.4}–{upper:.4}"),
            format!("{:.0}", row.mb_per_s()),
            format!("{:.1}", row.peak as f64 / 1024.0 / 1024.0),
            row.summary.accepted.to_string(),
            row.runs.len().to_string(),
        ]
    });
    tables::table(&head, 3, rows.collect())
}

/// Writes the figures and their picture.
pub fn write(folder: &Path, points: &[Point]) -> Result<()> {
    let mut csv = csv::Writer::from_path(folder.join("sizes.csv"))?;
    csv.write_record([
        "command",
        "bytes",
        "from_and_to",
        "seconds",
        "lower_quartile",
        "upper_quartile",
        "peak_bytes",
        "accepted",
        "runs",
        "quiet",
    ])?;
    for Point { place, row } in points {
        let [_, lower, upper] = row.summary.nanos_spread.map(|nanos| format!("{:.6}", nanos / 1e9));
        csv.write_record([
            row.name,
            &row.bytes.to_string(),
            place.name(),
            &format!("{:.6}", row.summary.nanos / 1e9),
            &lower,
            &upper,
            &row.peak.to_string(),
            &row.summary.accepted.to_string(),
            &row.runs.len().to_string(),
            &row.summary.quiet.to_string(),
        ])?;
    }
    csv.flush()?;
    let path = folder.join("sizes.svg");
    let root = SVGBackend::new(&path, (960, 900)).into_drawing_area();
    root.fill(&WHITE)?;
    let (above, below) = root.split_vertically(520);
    let seconds = |row: &CommandTiming| row.summary.nanos / 1e9;
    let mib = |row: &CommandTiming| row.peak as f64 / 1024.0 / 1024.0;
    curves(
        &above,
        points,
        "Time grows with the file once it outweighs the start",
        "seconds (median)",
        seconds,
    )
    .and_then(|()| curves(&below, points, "Memory does not", "peak memory (MiB)", mib))
    .map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(root.present()?)
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

/// One line for each command, labelled at its end.
fn curves(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    points: &[Point],
    title: &str,
    y: &str,
    value: fn(&CommandTiming) -> f64,
) -> Drawn {
    let mut lines: Vec<(&str, Vec<(f64, f64)>)> = vec![];
    for Point { place, row } in points {
        if *place == Place::Null {
            let point = (row.bytes as f64, value(row));
            match lines.iter_mut().find(|(name, _)| *name == row.name) {
                Some((_, points)) => points.push(point),
                None => lines.push((row.name, vec![point])),
            }
        }
    }
    let all = || lines.iter().flat_map(|(_, points)| points.iter().copied());
    let range = |of: fn((f64, f64)) -> f64| {
        all().map(of).fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)))
    };
    let (bytes, values) = (range(|point| point.0), range(|point| point.1));
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 20))
        .margin(10)
        .margin_right(190)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(
            (bytes.0..bytes.1).log_scale().base(2.0),
            (values.0 * 0.7..values.1 * 1.4).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("file")
        .y_desc(y)
        .x_label_formatter(&|bytes| tables::size(bytes.round() as u64))
        .draw()?;
    // Labels that would touch are pushed apart, from the greatest value down.
    let mut ends: Vec<(usize, (f64, f64))> = lines
        .iter()
        .enumerate()
        .filter_map(|(n, (_, points))| Some((n, *points.last()?)))
        .collect();
    ends.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    let (left, top) = area.get_base_pixel();
    let mut lowest = i32::MIN;
    for (n, end) in ends {
        let (name, points) = &lines[n];
        let colour = Palette99::pick(n).to_rgba();
        chart.draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)).point_size(3))?;
        let (x, y) = chart.backend_coord(&end);
        let y = (y - top).max(lowest.saturating_add(15));
        lowest = y;
        let style = ("sans-serif", 13).into_font().color(&colour);
        area.draw(&Text::new((*name).to_string(), (x - left + 8, y - 7), style))?;
    }
    Ok(())
}
