//! Archives of unusual forms, and damaged ones: all members that can be read are read.

use std::io::{Cursor, Write};
use std::{fs, path::Path};

use arcfour_survey::{Input, Options, is_packed, look};
use flate2::{Compression, write::GzEncoder};
use zip::{ZipWriter, write::SimpleFileOptions};

fn pdf() -> Vec<u8> {
    fs::read("../vectors/pdf/v1-r2.pdf").unwrap()
}

/// The members with RC4, and the reasons for which something was not read to its end.
fn members(name: &str, archive: &[u8]) -> (Vec<String>, Vec<String>) {
    let mut source = Cursor::new(archive);
    let input = Input::new(Path::new(name), &mut source).unwrap();
    let outcome = look(Path::new(name), input, &Options::default());
    let found = outcome.findings.into_iter().map(|one| one.place.within.unwrap_or_default());
    let unread = outcome.unread.into_iter();
    let unread = unread.map(|(place, why)| format!("{}: {why}", place.within.unwrap_or_default()));
    (found.collect(), unread.collect())
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// A ZIP archive of stored members, and where each local header begins.
fn zipped(members: &[(&str, &[u8])]) -> (Vec<u8>, Vec<usize>) {
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, stored).unwrap();
        zip.write_all(bytes).unwrap();
    }
    let zip = zip.finish().unwrap().into_inner();
    let is_header = |at: &usize| zip[*at..].starts_with(b"PK\x03\x04");
    let headers = (0..zip.len()).filter(is_header).collect();
    (zip, headers)
}

#[test]
fn zeros_after_a_gzip_file_are_its_end() {
    let packed = gzipped(&pdf());
    for zeros in [0, 1, 512, 100_000] {
        let padded = [&packed[..], &vec![0; zeros]].concat();
        assert_eq!(members("a.pdf.gz", &padded), (vec!["member a.pdf".into()], vec![]), "{zeros}");
    }
    // Two parts, each compressed alone, are one file.
    let (first, second) = (&pdf()[..900], &pdf()[900..]);
    let parts = [gzipped(first), gzipped(second)].concat();
    assert_eq!(members("a.pdf.gz", &parts), (vec!["member a.pdf".into()], vec![]));
}

#[test]
fn a_damaged_gzip_file_is_read_up_to_the_damage() {
    // The file is longer than the bytes by which its format is recognised, and shorter.
    for size in [100, 5000] {
        let packed = gzipped(&[pdf(), b"%filling".repeat(size / 8)].concat());
        let mut wrong_sum = packed.clone();
        let sum = packed.len() - 8;
        wrong_sum[sum] ^= 1;
        let followed = [&packed[..], b"garbage, longer than a header"].concat();
        for (damaged, why) in [
            (followed, "invalid gzip header"),
            (wrong_sum, "corrupt gzip stream"),
            (packed[..sum].to_vec(), "unexpected end of file"),
        ] {
            let (found, unread) = members("a.pdf.gz", &damaged);
            assert_eq!(found, ["member a.pdf"], "{size}: {unread:?}");
            let [one] = &unread[..] else { panic!("{unread:?}") };
            assert!(one.starts_with("member a.pdf: ") && one.contains(why), "{one}");
        }
    }
}

/// The oldest headers have neither a magic number nor a version.
#[test]
fn a_tar_archive_without_a_magic_number_is_read() {
    let pdf = pdf();
    let mut header = tar::Header::new_old();
    header.set_path("a.pdf").unwrap();
    header.set_size(pdf.len() as u64);
    header.set_cksum();
    let mut tar = tar::Builder::new(Vec::new());
    tar.append(&header, &pdf[..]).unwrap();
    let mut tar = tar.into_inner().unwrap();
    assert_eq!(members("a.tar", &tar), (vec!["member a.pdf".into()], vec![]));
    assert_eq!(members("a.tar.gz", &gzipped(&tar)).0, ["member a.pdf"]);
    tar[0] ^= 1;
    assert!(!is_packed(&tar));
}

#[test]
fn a_zip_archive_after_a_program_is_entered() {
    let (zip, _) = zipped(&[("a.pdf", &pdf())]);
    let program = [b"#!/bin/sh\n".repeat(500), zip].concat();
    assert_eq!(members("install.sh", &program), (vec!["member a.pdf".into()], vec![]));
}

#[test]
fn a_bad_member_does_not_end_a_zip_archive() {
    let pdf = pdf();
    let (mut zip, headers) = zipped(&[("a.pdf", &pdf), ("b.pdf", &pdf), ("c.pdf", &pdf)]);
    zip[headers[1]] = b'X';
    let (found, unread) = members("a.zip", &zip);
    assert_eq!(found, ["member a.pdf", "member c.pdf"]);
    let [one] = &unread[..] else { panic!("{unread:?}") };
    assert!(one.starts_with("member b.pdf: "), "{one}");
}

/// The crate zip gives one member for each name.
#[test]
fn members_of_one_name_are_told() {
    let pdf = pdf();
    let (mut zip, _) = zipped(&[("a.pdf", &pdf), ("b.pdf", &pdf)]);
    for at in 0..zip.len() - 5 {
        if zip[at..].starts_with(b"b.pdf") {
            zip[at] = b'a';
        }
    }
    let why = ": archive: several members have one name, and only the last of them is read";
    assert_eq!(members("a.zip", &zip), (vec!["member a.pdf".into()], vec![why.into()]));
}
