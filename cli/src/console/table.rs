//! Tables for people, at most 100 columns wide by default.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets::NOTHING};

const WIDTH: u16 = 100;

/// Lays out `rows` under `head`, which may be empty, with two spaces between columns. Columns with
/// numbers in `right` are aligned to the right. In a table that is too wide, cells are wrapped.
pub fn table(head: &[&str], right: &[usize], rows: Vec<Vec<String>>) -> String {
    table_within(WIDTH, head, right, rows)
}

/// Does the same, at most `width` columns wide.
pub fn table_within(width: u16, head: &[&str], right: &[usize], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(NOTHING).add_rows(rows);
    if !head.is_empty() {
        table.set_header(head);
    }
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    let last = table.column_count() - 1;
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if at == last { 0 } else { 2 }));
        if right.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Lays out values, each after its name.
pub fn named(rows: Vec<(&str, String)>) -> String {
    let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    table(&[], &[], rows)
}

/// A value that may be missing.
pub fn optional<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}
