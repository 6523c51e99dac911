//! The picture of a run: long messages as bars, small ones as curves.

use anyhow::{Result, anyhow};
use arcfour_kernels::KernelSpeed;
use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use std::path::Path;

use crate::{engine::Workload, run::Run};

const BAR: f64 = 0.35;

/// Draws to an SVG file.
pub fn draw(run: &Run, path: &Path) -> Result<()> {
    let root = SVGBackend::new(path, (960, 900)).into_drawing_area();
    root.fill(&WHITE)?;
    let (above, below) = root.split_vertically(400);
    bars(run, &above).and_then(|()| curves(run, &below)).map_err(|error| anyhow!("{error}"))?;
    Ok(root.present()?)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

/// Cycles per byte of every engine, and of our many streams together, fastest above.
fn bars(run: &Run, area: &Area<'_>) -> Drawn {
    let work = Workload::Stream(1 << 20);
    let rows = run.libraries.iter().filter(|row| row.work == work);
    let mut bars: Vec<(String, f64)> =
        rows.map(|row| (row.engine.clone(), row.summary.cycles_per_byte(work.bytes()))).collect();
    let many = |kernel: &&KernelSpeed| {
        kernel.family == "rc4" && kernel.name == "keystream" && kernel.streams > 1
    };
    let best = run.kernels.iter().filter(many).min_by(|a, b| a.cycles.total_cmp(&b.cycles));
    bars.extend(
        best.and_then(|k| Some((format!("arcfour, {} streams", k.streams), k.cycles_per_byte?))),
    );
    bars.sort_by(|a, b| b.1.total_cmp(&a.1));
    let most = bars.first().map_or(1.0, |bar| bar.1);
    let mut chart = ChartBuilder::on(area)
        .caption("RC4, 1 MiB, xor in place: less is better", ("sans-serif", 20))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(170)
        .build_cartesian_2d(0.0..most * 1.1, -0.5..bars.len() as f64 - 0.5)?;
    let names: Vec<String> = bars.iter().map(|bar| bar.0.clone()).collect();
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_desc("core cycles per byte (median)")
        .draw()?;
    for (n, (name, value)) in bars.iter().enumerate() {
        let y = n as f64;
        let colour = colour(name);
        chart
            .draw_series([Rectangle::new([(0.0, y - BAR), (*value, y + BAR)], colour.filled())])?;
        let label = ("sans-serif", 14).into_font().color(&BLACK);
        let left = label.pos(Pos::new(HPos::Left, VPos::Center));
        chart.draw_series([Text::new(format!(" {value:.2}"), (*value, y), left.clone())])?;
        let (x, y) = chart.backend_coord(&(0.0, y));
        let right = label.pos(Pos::new(HPos::Right, VPos::Center));
        let (left, top) = area.get_base_pixel();
        area.draw(&Text::new(names[n].clone(), (x - left - 6, y - top), right))?;
    }
    Ok(())
}

/// Cycles per byte of small messages with set-up, by length.
fn curves(run: &Run, area: &Area<'_>) -> Drawn {
    let mut curves: Vec<(&str, Vec<(f64, f64)>)> = vec![];
    for row in &run.libraries {
        if let Workload::Message(bytes) = row.work {
            let point = (bytes as f64, row.summary.cycles_per_byte(bytes));
            match curves.iter_mut().find(|(name, _)| *name == row.engine) {
                Some((_, points)) => points.push(point),
                None => curves.push((&row.engine, vec![point])),
            }
        }
    }
    let values = || curves.iter().flat_map(|(_, points)| points);
    let least = values().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let most = values().map(|point| point.1).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption(
            "One message with its key set-up (16-byte key): less is better",
            ("sans-serif", 20),
        )
        .margin(10)
        .margin_right(30)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(
            (16.0..4096.0).log_scale().base(2.0),
            (least * 0.8..most * 1.25).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("message (bytes)")
        .y_desc("core cycles per byte (median)")
        .x_label_formatter(&|bytes| format!("{bytes:.0}"))
        .y_label_formatter(&|cycles| format!("{cycles:.0}"))
        .draw()?;
    for (name, points) in &curves {
        let colour = colour(name);
        chart
            .draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)).point_size(3))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}

/// One colour for an engine in both charts; ours is red.
fn colour(engine: &str) -> RGBAColor {
    const PEERS: [(&str, RGBColor); 8] = [
        ("openssl-bytes", RGBColor(0, 90, 181)),
        ("openssl", RGBColor(86, 160, 233)),
        ("libtomcrypt", RGBColor(0, 140, 100)),
        ("nettle", RGBColor(140, 110, 190)),
        ("libgcrypt", RGBColor(120, 80, 40)),
        ("textbook-c", RGBColor(90, 90, 90)),
        ("rustcrypto-rc4", RGBColor(230, 150, 0)),
        ("go", RGBColor(0, 170, 190)),
    ];
    let ours = engine.starts_with("arcfour").then_some(RGBColor(205, 30, 45));
    let peer = PEERS.iter().find(|(name, _)| engine.starts_with(name)).map(|(_, colour)| *colour);
    let fainter = engine.ends_with("-portable") || engine.ends_with("-native");
    ours.or(peer).unwrap_or(BLACK).mix(if fainter { 0.55 } else { 1.0 })
}
