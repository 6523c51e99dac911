//! Surveys a folder with planted RC4, and checks that exactly the planted findings are reported.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arcfour_survey::{Input, Options, Outcome, Watch, look, readers, survey};
use etherparse::PacketBuilder;
use flate2::{Compression, write::GzEncoder};
use zip::{ZipWriter, write::SimpleFileOptions};

const VECTORS: &str = "../vectors";

fn vector(name: &str) -> Vec<u8> {
    fs::read(Path::new(VECTORS).join(name)).unwrap()
}

fn surveyed(path: &Path, archives: u32) -> Outcome {
    let options = Options { archives, ..Options::default() };
    survey(&[path.to_owned()], &options, &Watch::default())
}

/// Rule and place of each finding, without the root.
fn found(root: &Path, outcome: &Outcome) -> BTreeSet<(String, String)> {
    let root = format!("{}/", root.display());
    let found = outcome.findings.iter();
    found.map(|f| (f.rule.name().to_owned(), f.place.to_string().replace(&root, ""))).collect()
}

/// Places that were not read to their end, without the root.
fn unread(root: &Path, outcome: &Outcome) -> Vec<String> {
    let root = format!("{}/", root.display());
    outcome.unread.iter().map(|(place, _)| place.to_string().replace(&root, "")).collect()
}

fn expected(rows: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    rows.iter().map(|(rule, place)| ((*rule).to_owned(), (*place).to_owned())).collect()
}

fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn tarred(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, *bytes).unwrap();
    }
    tar.into_inner().unwrap()
}

/// A TLS record with one handshake message without extensions.
fn hello(kind: u8, after_random: &[u8]) -> Vec<u8> {
    let body = [&[3, 1][..], &[7; 32], &[0], after_random].concat();
    let message = [&[kind, 0, 0, body.len() as u8][..], &body].concat();
    [&[22, 3, 1, 0, message.len() as u8][..], &message].concat()
}

/// A capture in which a client sends `asked` in pieces of ten bytes, the second before the first,
/// and a server sends `answered`.
fn capture(asked: &[u8], answered: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0xffff, 1] {
        file.extend(word.to_le_bytes());
    }
    let mut packet =
        |from: u8, to: u8, ports: (u16, u16), sequence: u32, syn: bool, data: &[u8]| {
            let ends = ([10, 0, 0, from], [10, 0, 0, to]);
            let builder = PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4(ends.0, ends.1, 64);
            let builder = builder.tcp(ports.0, ports.1, sequence, 1024);
            let builder = if syn { builder.syn() } else { builder.ack(1) };
            let mut bytes = Vec::new();
            builder.write(&mut bytes, data).unwrap();
            for word in [0, 0, bytes.len() as u32, bytes.len() as u32] {
                file.extend(word.to_le_bytes());
            }
            file.extend(bytes);
        };
    packet(5, 7, (40_000, 443), u32::MAX, true, &[]);
    let mut pieces: Vec<(u32, &[u8])> = (0..).step_by(10).zip(asked.chunks(10)).collect();
    pieces.swap(0, 1);
    for (at, piece) in pieces {
        packet(5, 7, (40_000, 443), at, false, piece);
    }
    packet(7, 5, (443, 40_000), 99, true, &[]);
    packet(7, 5, (443, 40_000), 100, false, answered);
    file
}

fn planted(root: &Path) {
    let put = |name: &str, bytes: &[u8]| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    put("1999/offer.pdf", &vector("pdf/v1-r2-empty.pdf"));
    put("1999/letter.pdf", &vector("pdf/v2-r3-128.pdf"));
    put("2001/letter.doc", &vector("office/office97.doc"));
    put("2001/plain.doc", &vector("office/plain.doc"));
    put("2001/xor.xls", &vector("office/xor.xls"));
    put("2001/default.xls", &vector("office/default.xls"));
    put("2001/stock.mdb", &vector("office/jet3.mdb"));
    put("salted", b"Salted__12345678ciphertext");
    put("broken.pdf", b"%PDF-1.4 and nothing else");
    let inner = zipped(&[("deep.pdf", &vector("pdf/v1-r2.pdf"))]);
    put(
        "box.zip",
        &zipped(&[
            ("a/b.doc", &vector("office/cryptoapi-128.doc")),
            ("in.zip", &inner),
            ("note.txt", b"RC4"),
        ]),
    );
    let tar = tarred(&[("c.xls", &vector("office/cryptoapi-40.xls")), ("none.txt", b"nothing")]);
    put("box.tar.gz", &gzipped(&tar));
    // The client offers RC4, AES and an export suite; the server takes RC4.
    let suites = [0, 8, 0xc0, 0x2f, 0, 5, 0, 4, 0, 3, 1, 0];
    put("old.pcap", &capture(&hello(1, &suites), &hello(2, &[0, 5, 0])));
    put("new.pcap", &capture(&hello(1, &[0, 2, 0xc0, 0x2f, 1, 0]), &hello(2, &[0xc0, 0x2f, 0])));
    symlink("/", root.join("everything")).unwrap();
    symlink(root.join("2001/letter.doc"), root.join("again.doc")).unwrap();
}

const ONE_LEVEL: [(&str, &str); 11] = [
    ("pdf-open", "1999/offer.pdf"),
    ("pdf", "1999/letter.pdf"),
    ("office-97", "2001/letter.doc"),
    ("office-open", "2001/default.xls"),
    ("access-jet", "2001/stock.mdb"),
    ("openssl-salted", "salted"),
    ("office-cryptoapi", "box.zip, member a/b.doc"),
    ("office-cryptoapi", "box.tar.gz, member c.xls"),
    ("tls-chosen", "old.pcap, 10.0.0.7:443, frame 9"),
    ("tls-offered", "old.pcap, 10.0.0.5 to 10.0.0.7:443, frame 3"),
    ("tls-export-offered", "old.pcap, 10.0.0.5 to 10.0.0.7:443, frame 3"),
];

#[test]
fn all_that_is_planted_is_found_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    planted(root.path());
    let rows = &ONE_LEVEL[..];
    let outcome = surveyed(root.path(), 1);
    assert_eq!(found(root.path(), &outcome), expected(rows));
    assert_eq!(outcome.files, 13);
    assert_eq!(unread(root.path(), &outcome), ["box.zip, member in.zip", "broken.pdf"]);
    assert_eq!(outcome.unread[0].1, "it is an archive beyond --archive-depth 1");

    let deeper = [rows, &[("pdf-40", "box.zip, member in.zip/deep.pdf")]].concat();
    assert_eq!(found(root.path(), &surveyed(root.path(), 2)), expected(&deeper));

    let shallow: Vec<_> =
        rows.iter().copied().filter(|(_, place)| !place.contains("member")).collect();
    assert_eq!(found(root.path(), &surveyed(root.path(), 0)), expected(&shallow));
}

/// A document that lies in an archive as it is, near the start, is a member and not the archive.
#[test]
fn an_archive_is_not_the_document_in_it() {
    let root = tempfile::tempdir().unwrap();
    let pdf = vector("pdf/v1-r2.pdf");
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("a.pdf", stored).unwrap();
    zip.write_all(&pdf).unwrap();
    fs::write(root.path().join("a.zip"), zip.finish().unwrap().into_inner()).unwrap();
    fs::write(root.path().join("a.tar"), tarred(&[("a.pdf", &pdf)])).unwrap();
    let rows = expected(&[("pdf-40", "a.tar, member a.pdf"), ("pdf-40", "a.zip, member a.pdf")]);
    assert_eq!(found(root.path(), &surveyed(root.path(), 1)), rows);
}

/// A path is given twice, another lies inside the first, and another has a longer spelling.
#[test]
fn paths_that_overlap_tell_nothing_twice() {
    let root = tempfile::tempdir().unwrap();
    planted(root.path());
    let once = surveyed(root.path(), 1);
    let inside = root.path().join("1999");
    let paths: Vec<PathBuf> =
        vec![root.path().into(), root.path().into(), inside.join("offer.pdf")];
    let again = survey(&paths, &Options::default(), &Watch::default());
    assert_eq!(again.findings, once.findings);
    let paths = [root.path().into(), inside.join("..")];
    let again = survey(&paths, &Options::default(), &Watch::default());
    let counts = |outcome: &Outcome| (outcome.findings.len(), outcome.unread.len());
    assert_eq!(counts(&again), counts(&once));
}

/// A cut part does not hide findings in the whole parts.
#[test]
fn a_capture_that_is_cut_says_what_it_had() {
    let root = tempfile::tempdir().unwrap();
    let suites = [0, 8, 0xc0, 0x2f, 0, 5, 0, 4, 0, 3, 1, 0];
    let whole = capture(&hello(1, &suites), &hello(2, &[0, 5, 0]));
    // After the client's data follow two packets: headers of 16 and of 54 bytes each, and the
    // answer.
    let complete = whole.len() - 2 * (16 + 54) - hello(2, &[0, 5, 0]).len();
    for cut in (0..whole.len()).step_by(3).chain([complete - 1, complete, whole.len() - 1]) {
        fs::write(root.path().join("cut.pcap"), &whole[..cut]).unwrap();
        let outcome = surveyed(root.path(), 1);
        let expected = if cut < complete { 0 } else { 2 };
        assert_eq!(outcome.findings.len(), expected, "{cut}: {:?}", outcome.findings);
        if cut == whole.len() - 1 {
            let [(_, reason)] = &outcome.unread[..] else { panic!("{:?}", outcome.unread) };
            let what = "the capture ends in the middle of a packet after frame ";
            assert!(reason.contains(what), "{reason}");
        }
    }
}

/// In SSL 2 the client offers ciphers, and chooses one with its key.
#[test]
fn ssl_2_is_offered_and_chosen() {
    let specs = [7, 0, 0xc0, 2, 0, 0x80, 1, 0, 0x80, 0, 0, 5];
    let hello = [&[1, 0, 2, 0, specs.len() as u8, 0, 0, 0, 16][..], &specs, &[7; 16]].concat();
    let key = |spec: u8| [2, spec, 0, 0x80, 0, 0, 0, 2, 0, 0, 7, 7];
    let record = |message: &[u8]| [&[0x80, message.len() as u8], message].concat();
    let found = |second: &[u8]| {
        let root = tempfile::tempdir().unwrap();
        let asked = [record(&hello), second.to_vec()].concat();
        fs::write(root.path().join("old.pcap"), capture(&asked, b"the server's hello")).unwrap();
        let outcome = surveyed(root.path(), 1);
        let findings = outcome.findings.iter();
        findings.map(|one| (one.rule.name(), one.evidence.clone())).collect::<BTreeSet<_>>()
    };
    let offered = [
        ("ssl2", "offered: SSL_CK_RC4_128_WITH_MD5, SSL_CK_RC4_128_EXPORT40_WITH_MD5".to_owned()),
        ("tls-offered", "offered: TLS_RSA_WITH_RC4_128_SHA".to_owned()),
    ];
    let export = ("ssl2-chosen", "chosen: SSL_CK_RC4_128_EXPORT40_WITH_MD5".to_owned());
    let with = |rows: &[(&'static str, String)]| {
        offered.iter().chain(rows).cloned().collect::<BTreeSet<_>>()
    };
    assert_eq!(found(&record(&key(2))), with(&[export]));
    // Triple DES is chosen; the server has TLS.
    assert_eq!(found(&record(&key(7))), with(&[]));
    assert_eq!(found(&[22, 3, 1, 0, 2, 1, 0, 0x80]), with(&[]));
}

/// A program may mention the header of PDF files. A PDF file may begin after a text in the same line.
#[test]
fn a_mention_of_the_pdf_header_is_no_damaged_file() {
    let root = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(root.path().join(name), bytes).unwrap();
    put("kind.c", b"if (memcmp(p, \"%PDF-1.\", 7) == 0)\n\treturn PDF;\n");
    put("kind.py", b"HEADERS = {\n    b'%PDF-': 'pdf',\n}\n");
    put("job.prn", b"\x1b%-12345X@PJL\n%PDF-1.4\nits rest is lost");
    put("after.pdf", &[b"From the post: ", &*vector("pdf/v1-r2.pdf")].concat());
    let outcome = surveyed(root.path(), 1);
    let unread: Vec<_> = outcome.unread.iter().map(|(place, _)| place.path.clone()).collect();
    assert_eq!(unread, [root.path().join("job.prn")]);
    assert_eq!(found(root.path(), &outcome), expected(&[("pdf-40", "after.pdf")]));
}

/// A device is not read. In a folder it is passed over; as a path given it is named.
#[test]
fn a_path_without_a_file_or_folder_is_named() {
    let outcome = surveyed(Path::new("/dev/null"), 1);
    let unread: Vec<_> = outcome.unread.iter().map(|(place, _)| place.to_string()).collect();
    assert_eq!((outcome.files, unread), (0, vec!["/dev/null".to_owned()]));
}

/// A survey that is stopped before it begins finds nothing, and reports that it was stopped.
#[test]
fn a_survey_that_is_stopped_says_so() {
    let root = tempfile::tempdir().unwrap();
    planted(root.path());
    let watch = Watch::default();
    watch.stop.store(true, Ordering::Relaxed);
    let outcome = survey(&[root.path().into()], &Options::default(), &watch);
    assert!(outcome.stopped && outcome.findings.is_empty());
}

/// A PDF file has its own reads, in a file and in memory. They end with the survey.
#[test]
fn a_pdf_file_is_read_up_to_a_stop() {
    let (path, pdf) = (Path::new("a.pdf"), vector("pdf/v1-r2.pdf"));
    let stop = Arc::new(AtomicBool::new(false));
    let all = readers::all();
    let reader = all.iter().find(|reader| reader.name() == "PDF").unwrap();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&pdf).unwrap();
    let mut memory = Cursor::new(pdf);
    for (stopped, expected) in
        [(false, (Ok(()), 1)), (true, (Err("the survey was stopped".to_owned()), 0))]
    {
        stop.store(stopped, Ordering::Relaxed);
        for input in [Input::of_file(path, &mut file), Input::new(path, &mut memory)] {
            let mut found = 0;
            let read = reader.read(&mut input.unwrap().until(&stop), &mut |_| found += 1);
            assert_eq!((read.map_err(|error| error.to_string()), found), expected);
        }
    }
}

/// Members beyond the limit are not unpacked, and the archive says so.
#[test]
fn an_archive_is_unpacked_up_to_the_limit() {
    let pdf = vector("pdf/v1-r2.pdf");
    let zip = zipped(&[("a.pdf", &pdf), ("b.pdf", &pdf)]);
    let found = |unpacked: usize| {
        let options = Options { unpacked: unpacked as u64, ..Options::default() };
        let mut source = Cursor::new(&zip);
        let input = Input::new(Path::new("a.zip"), &mut source).unwrap();
        let outcome = look(Path::new("a.zip"), input, &options);
        (outcome.findings.len(), outcome.unread.len())
    };
    assert_eq!(found(2 * pdf.len()), (2, 0));
    assert_eq!(found(2 * pdf.len() - 1), (1, 1));
    assert_eq!(found(pdf.len() - 1), (0, 1));
}

/// Skipped members of a tar archive cost nothing. In a compressed one they are unpacked and count.
#[test]
fn a_tar_archive_is_read_to_its_end() {
    let pdf = vector("pdf/v1-r2.pdf");
    let plain = tarred(&[("a.bin", &vec![0; 1 << 20]), ("b.pdf", &pdf)]);
    let packed = gzipped(&plain);
    let found = |name: &str, archive: &[u8], unpacked: usize| {
        let options = Options { unpacked: unpacked as u64, ..Options::default() };
        let mut source = Cursor::new(archive);
        let input = Input::new(Path::new(name), &mut source).unwrap();
        let outcome = look(Path::new(name), input, &options);
        (outcome.findings.len(), outcome.unread.len())
    };
    assert_eq!(found("a.tar", &plain, 1 << 19), (1, 0));
    assert_eq!(found("a.tar.gz", &packed, plain.len()), (1, 0));
    // The limit is the end of the first member, where a cut looks like the end of the archive.
    assert_eq!(found("a.tar.gz", &packed, 512 + (1 << 20)), (0, 1));
}
