//! Times whole commands by size of the file, and by its source and destination.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use arcfour_measure::{Goal, Meter};
use plotters::{coord::Shift, prelude::*};
use serde::Deserialize;
use tempfile::TempDir;

use crate::{
    commands::{CommandTiming, Filter, Place, measure},
    documents::Documents,
    sealed::Sealed,
    tables,
};

/// Bytes of the files. The largest file takes no space on the disk, because it is a hole that reads
/// as 0.
pub const FULL: &[u64] = &[1 << 10, 1 << 15, 1 << 20, 1 << 25, 1 << 30, 1 << 34];
/// Sizes of a smoke run.
pub const QUICK: &[u64] = &[1 << 10, 1 << 20];
/// The largest file that is opened, because a sealed file has no holes.
const LARGEST_SEALED: u64 = 1 << 30;
/// Bytes of the PDF files: a 2 GiB file has more than a number of 32 bits with a sign.
pub const DOCUMENTS: &[u64] = &[1 << 20, 1 << 25, 1 << 31];
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

/// Measures the decryption of PDF files of all sizes by programs that read them by pieces.
pub fn documents(meter: &mut Meter, folder: &Path, sizes: &[u64]) -> Result<Vec<Point>> {
    let mut points = vec![];
    for &bytes in sizes {
        let documents = Documents::new(folder, None, bytes)?;
        eprintln!("PDF file, {}", tables::size(bytes));
        let rows = measure(meter, &documents.decrypt, documents.file.path(), Place::Null, RUNS)?;
        points.extend(rows.into_iter().map(|row| Point { place: Place::Null, row }));
    }
    Ok(points)
}

/// A sparse file of `bytes` zero bytes.
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
    draw(folder, &folder.join("sizes.svg"))
}

/// A row of `sizes.csv`, for its picture.
#[derive(Deserialize)]
struct Row {
    command: String,
    bytes: u64,
    from_and_to: String,
    seconds: f64,
    peak_bytes: u64,
}

/// Draws `sizes.csv` of a folder.
fn draw(folder: &Path, picture: &Path) -> Result<()> {
    let mut reader = csv::Reader::from_path(folder.join("sizes.csv"))?;
    let rows: Vec<Row> = reader.deserialize().collect::<std::result::Result<_, _>>()?;
    let root = SVGBackend::new(picture, (960, 900)).into_drawing_area();
    root.fill(&WHITE)?;
    let (above, below) = root.split_vertically(520);
    let time = "Time grows with the file once it outweighs the start";
    curves(&above, &rows, time, ("seconds (median)", 10.0), |row| row.seconds)
        .and_then(|()| {
            let mib = |row: &Row| row.peak_bytes as f64 / 1024.0 / 1024.0;
            curves(&below, &rows, "Memory does not", ("peak memory (MiB)", 2.0), mib)
        })
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(root.present()?)
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

/// A colour for each of our commands; other programs are grey.
fn colour(command: &str) -> RGBColor {
    match command {
        "rc4" => RGBColor(205, 30, 45),
        "arcfour crypt" => RGBColor(150, 20, 110),
        "arcfour ent" => RGBColor(0, 110, 150),
        "arcfour seal" => RGBColor(0, 115, 70),
        "arcfour open" => RGBColor(150, 85, 0),
        "arcfour pdf decrypt" => RGBColor(90, 60, 170),
        _ => RGBColor(100, 100, 100),
    }
}

/// One line for each command, labelled at its end. `y` is the name of its axis, and the base of its logarithms.
fn curves(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    rows: &[Row],
    title: &str,
    y: (&str, f64),
    value: fn(&Row) -> f64,
) -> Drawn {
    let mut lines: Vec<(&str, Vec<(f64, f64)>)> = vec![];
    for row in rows.iter().filter(|row| row.from_and_to == Place::Null.name()) {
        let point = (row.bytes as f64, value(row));
        match lines.iter_mut().find(|(name, _)| *name == row.command) {
            Some((_, points)) => points.push(point),
            None => lines.push((&row.command, vec![point])),
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
            (values.0 * 0.7..values.1 * 1.4).log_scale().base(y.1),
        )?;
    chart
        .configure_mesh()
        .x_desc("file")
        .y_desc(y.0)
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
        let colour = colour(name);
        chart.draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)).point_size(3))?;
        let (x, y) = chart.backend_coord(&end);
        let y = (y - top).max(lowest.saturating_add(15));
        lowest = y;
        let style = ("sans-serif", 13).into_font().color(&colour);
        area.draw(&Text::new((*name).to_string(), (x - left + 8, y - 7), style))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::*;

    /// `ARCFOUR_WRITE_PICTURES=1` draws them anew.
    #[test]
    fn recorded_pictures_are_of_their_tables() {
        let mut seen = 0;
        for run in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/sizes")).unwrap() {
            let run = run.unwrap().path();
            let recorded = run.join("sizes.svg");
            if env::var_os("ARCFOUR_WRITE_PICTURES").is_some() {
                draw(&run, &recorded).unwrap();
            }
            let folder = TempDir::new().unwrap();
            let again = folder.path().join("again.svg");
            draw(&run, &again).unwrap();
            assert!(fs::read(again).unwrap() == fs::read(recorded).unwrap(), "{run:?}");
            seen += 1;
        }
        assert!(seen > 0, "a run is recorded");
    }
}
