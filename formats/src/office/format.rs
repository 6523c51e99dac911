//! The programs and versions whose documents are read.

use std::fmt;

/// The program whose format a document has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Word 97 to 2003: .doc, .dot.
    Doc,
    /// Word 6 and 95.
    Doc95,
    /// Excel 97 to 2003: .xls, .xlt, .xla.
    Xls,
    /// Excel 5 and 95.
    Xls95,
    /// PowerPoint 97 to 2003: .ppt, .pot, .pps.
    Ppt,
    /// PowerPoint 4 and 95.
    Ppt95,
    /// Access 97: .mdb of Jet 3.
    Mdb97,
    /// Access 2000 to 2003: .mdb of Jet 4.
    Mdb,
    /// Access 2007 and later.
    Accdb,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Doc => "Word 97 to 2003",
            Self::Doc95 => "Word 6 or 95",
            Self::Xls => "Excel 97 to 2003",
            Self::Xls95 => "Excel 5 or 95",
            Self::Ppt => "PowerPoint 97 to 2003",
            Self::Ppt95 => "PowerPoint 4 or 95",
            Self::Mdb97 => "Access 97",
            Self::Mdb => "Access 2000 to 2003",
            Self::Accdb => "Access 2007 and later",
        })
    }
}
