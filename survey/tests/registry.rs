//! Settings of the Windows registry: exports, group policies and security templates.

use std::path::Path;

use arcfour_survey::{Input, Options, Outcome, look};

fn surveyed(name: &str, bytes: &[u8]) -> Outcome {
    let mut source = std::io::Cursor::new(bytes);
    let input = Input::new(Path::new(name), &mut source).unwrap();
    look(Path::new(name), input, &Options::default())
}

/// Rule, place and evidence of each finding.
fn found(name: &str, bytes: &[u8]) -> Vec<(&'static str, String, String)> {
    let outcome = surveyed(name, bytes);
    assert_eq!(outcome.unread, []);
    let row = |one: &arcfour_survey::Finding| {
        (one.rule.name(), one.place.within.clone().unwrap(), one.evidence.clone())
    };
    outcome.findings.iter().map(row).collect()
}

/// Rule and place of each finding.
fn places(name: &str, bytes: &[u8]) -> Vec<(&'static str, String)> {
    found(name, bytes).into_iter().map(|(rule, place, _)| (rule, place)).collect()
}

fn rows(expected: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    expected.iter().map(|(rule, place)| (*rule, (*place).to_owned())).collect()
}

/// Text as `reg export` and the group policy editor write it.
fn wide(text: &str) -> Vec<u8> {
    let units = [0xfeff].into_iter().chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

const EXPORT: &str = r#"Windows Registry Editor Version 5.00

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\SecurityProviders\SCHANNEL\Ciphers\RC4 128/128]
"Enabled"=dword:ffffffff

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\SecurityProviders\SCHANNEL\Ciphers\RC4 40/128]
"Enabled"=dword:00000000

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\SecurityProviders\SCHANNEL\Ciphers\Triple DES 168]
"Enabled"=dword:ffffffff

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Cryptography\Configuration\Local\SSL\00010002]
"Functions"=hex(7):54,00,4c,00,53,00,5f,00,52,00,53,00,41,00,5f,00,57,00,49,00,\
  54,00,48,00,5f,00,4e,00,55,00,4c,00,4c,00,5f,00,4d,00,44,00,35,00,00,00,54,\
  00,4c,00,53,00,5f,00,52,00,53,00,41,00,5f,00,57,00,49,00,54,00,48,00,5f,00,\
  52,00,43,00,34,00,5f,00,31,00,32,00,38,00,5f,00,53,00,48,00,41,00,00,00,00,00

[HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\Cryptography\Configuration\SSL\00010002]
"Functions"="TLS_AES_256_GCM_SHA384,TLS_RSA_WITH_RC4_128_MD5,TLS_RSA_WITH_RC4_128_SHA"

[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Policies\System\Kerberos\Parameters]
"supportedencryptiontypes"=dword:7ffffffc

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\KDC]
"DefaultDomainSupportedEncTypes"=dword:00000018

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\Netlogon\Parameters]
"RejectMD5Clients"=dword:00000000
"RejectMD5Servers"=dword:00000001

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Terminal Server\WinStations\RDP-Tcp]
"SecurityLayer"=dword:00000000
"MinEncryptionLevel"=dword:00000003

[HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\Windows NT\Terminal Services]
"SecurityLayer"=dword:00000001
"MinEncryptionLevel"=dword:00000004

[HKEY_LOCAL_MACHINE\SOFTWARE\Wow6432Node\Microsoft\.NETFramework\v2.0.50727]
"SchUseStrongCrypto"=dword:00000000

[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\.NETFramework\v4.0.30319\SKUs]
"SchUseStrongCrypto"=dword:00000000
"#;

#[test]
fn an_export_is_read_in_each_encoding() {
    let text = EXPORT.replace('\n', "\r\n");
    let expected = rows(&[
        ("schannel", "line 4"),
        ("schannel", "line 13"),
        ("schannel", "line 19"),
        ("kerberos-policy", "line 22"),
        ("netlogon", "line 28"),
        ("rdp-policy", "line 32"),
        ("dotnet-tls", "line 40"),
    ]);
    assert_eq!(places("windows.reg", &wide(&text)), expected);
    assert_eq!(places("windows.txt", text.as_bytes()), expected);
    let told = found("windows.reg", &wide(&text));
    let suite = r"Functions has TLS_RSA_WITH_RC4_128_MD5 and 1 more, in HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\Cryptography\Configuration\SSL\00010002";
    assert_eq!(told[2].2, suite);
    assert!(
        told[3].2.starts_with("supportedencryptiontypes is 0x7ffffffc, which has 0x4 (RC4), in ")
    );
}

/// Messages about the parts of a file that are not understood.
fn unread(name: &str, bytes: &[u8]) -> Vec<String> {
    surveyed(name, bytes).unread.iter().map(|(_, why)| why.to_string()).collect()
}

const KDC: &str = r"HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\KDC";
const TYPES: &str = "\"DefaultDomainSupportedEncTypes\"=";

/// An export with lines of the KDC's key.
fn of_kdc(lines: &str) -> String {
    format!("REGEDIT4\n\n[{KDC}]\n{lines}\n")
}

/// Each row has lines without a finding, and similar lines with one.
#[test]
fn the_last_value_of_a_name_applies() {
    let lower = TYPES.to_lowercase();
    let services = KDC.trim_end_matches(r"\KDC");
    for (without, with) in [
        (
            format!("{TYPES}dword:0000001c\n{lower}dword:00000018"),
            format!("{TYPES}dword:00000018\n{lower}dword:0000001c ; with RC4"),
        ),
        (format!("{TYPES}dword:1c\n{TYPES}-"), format!("{TYPES}-\n{TYPES}dword:1c")),
        (
            format!("{TYPES}dword:1c\n{TYPES}  -\t;comment"),
            format!("{TYPES}dword:1c\n{TYPES}- #comment"),
        ),
        (format!("{TYPES}dword:1c\n[-{services}]"), format!("{TYPES}dword:1c\n[-{services}\\KD]")),
        (format!("{TYPES}dword:1c\n[-{KDC}\\]"), format!("{TYPES}dword:1c\n[-{KDC}\\KDC\\]")),
        (format!("[-{KDC}]\n{TYPES}dword:1c"), format!("[-{KDC}]\n[{KDC}]\n{TYPES}dword:1c")),
        (format!(";{TYPES}dword:1c"), format!(";comment\n{TYPES}dword:1c")),
        (format!("\"Default\\\"{TYPES}dword:1c"), format!("\"Default\\\"\"=-\n{TYPES}dword:1c")),
        (format!("{TYPES}hex(4):18,00,00,00"), format!("{TYPES}hex(4):1c,00,00,00")),
        (format!("{TYPES}hex(5):1c,00,00,00"), format!("{TYPES}hex(5):00,00,00,1c")),
        (
            format!("{TYPES}hex(00000004):18,00,00,00,"),
            format!("{TYPES}hex(00000004):1c,00,00,00,"),
        ),
        (format!("{TYPES}hex(4):18,00,00,00,1c"), format!("{TYPES}hex(4):1c,00,00,00,00")),
        (format!("{TYPES}\"28\""), format!("{TYPES}dword:1c\n{TYPES}\"28\" junk")),
    ] {
        assert_eq!(surveyed("a.reg", of_kdc(&without).as_bytes()).findings, [], "{without}");
        assert_eq!(surveyed("a.reg", of_kdc(&with).as_bytes()).findings.len(), 1, "{with}");
    }
}

#[test]
fn a_key_may_end_with_backslashes() {
    for end in ["", r"\", r"\\"] {
        let export = format!("REGEDIT4\n[{KDC}{end}]\n{TYPES}dword:1c\n");
        assert_eq!(places("a.reg", export.as_bytes()), rows(&[("kerberos-policy", "line 3")]));
    }
}

/// Windows has no longer keys. A key is not copied at each of its values.
#[test]
fn a_key_has_at_most_16384_characters() {
    let key = |length: usize| format!(r"HKLM\{}\Services\KDC", "a".repeat(length - 18));
    let values = format!("{TYPES}dword:1c\n").repeat(20_000);
    let read = |length| {
        let export = format!("REGEDIT4\n[{KDC}]\n{TYPES}dword:18\n[{}]\n{values}", key(length));
        assert_eq!(key(length).len(), length);
        surveyed("a.reg", export.as_bytes()).findings.len()
    };
    assert_eq!(read(16_384), 1);
    assert_eq!(read(16_385), 0);
}

#[test]
fn a_line_may_end_with_a_carriage_return_alone() {
    let export = of_kdc(&format!("{TYPES}dword:1c"));
    for end in ["\r", "\r\n"] {
        let export = export.replace('\n', end);
        for bytes in [
            export.clone().into_bytes(),
            wide(&export.replace("REGEDIT4", "Windows Registry Editor Version 5.00")),
        ] {
            assert_eq!(places("a.reg", &bytes), rows(&[("kerberos-policy", "line 4")]));
        }
    }
    let mixed = export.replace("]\n", "]\r");
    assert_eq!(places("a.reg", mixed.as_bytes()), rows(&[("kerberos-policy", "line 4")]));
}

const FUNCTIONS: &str =
    r"HKLM\SYSTEM\CurrentControlSet\Control\Cryptography\Configuration\Local\SSL\00010002";

/// Windows has these rules: the import tests of Wine's `reg` and `regedit` record them.
#[test]
fn a_list_of_bytes_goes_on_in_the_next_lines() {
    // The suites are TLS_A and TLS_RC4_B.
    let (first, second) = ("54,4c,53,5f,41,00,54,4c,53,5f,52,", "43,34,5f,42,00,00");
    for between in [
        "\\\n  ",
        "\\\n\n \t\n  ",
        "\\\n;comment\n  ;comment\n  ",
        "\\;comment\n  ",
        "  \\\t ;comment\n",
        "\\\r\n\r\n  ",
    ] {
        for start in ["", "\\\n  "] {
            let export = format!(
                "REGEDIT4\n[{FUNCTIONS}]\n\"Functions\"=hex(7):{start}{first}{between}{second}\n"
            );
            assert_eq!(
                places("a.reg", export.as_bytes()),
                rows(&[("schannel", "line 3")]),
                "{export}"
            );
        }
    }
    let cut = format!("REGEDIT4\n[{FUNCTIONS}]\n\"Functions\"=hex(7):{first}43,34,5f,\\");
    assert_eq!(places("a.reg", cut.as_bytes()), rows(&[("schannel", "line 3")]));
    // Windows drops the value and its next line, or its rest.
    for wrong in ["\\\n  #comment\n", "\\\n\\\n", "#comment\n", "\\#comment\n", ",\\\n", "\\ "] {
        let export =
            format!("REGEDIT4\n[{FUNCTIONS}]\n\"Functions\"=hex(7):{first}{wrong}{second}\n");
        assert_eq!(surveyed("a.reg", export.as_bytes()).findings, [], "{export}");
        let why = unread("a.reg", export.as_bytes());
        assert!(why[0].starts_with("Windows registry: line 3: Functions has a value"), "{why:?}");
    }
}

/// A backslash without a comma before it is an error. The next line is read as itself.
#[test]
fn a_wrong_list_of_bytes_hides_no_line() {
    let expected = |line| rows(&[("kerberos-policy", line)]);
    let value = of_kdc(&format!("\"x\"=hex:11\\\n{TYPES}dword:1c"));
    assert_eq!(places("a.reg", value.as_bytes()), expected("line 5"));
    let key = format!("REGEDIT4\n[HKLM\\X]\n\"x\"=hex:11\\\n[{KDC}]\n{TYPES}dword:1c\n");
    assert_eq!(places("a.reg", key.as_bytes()), expected("line 5"));
    let swallowed = of_kdc(&format!("\"x\"=hex:11,\\\n{TYPES}dword:1c\n{TYPES}dword:24"));
    assert_eq!(places("a.reg", swallowed.as_bytes()), expected("line 6"));
}

#[test]
fn a_text_of_several_lines_has_no_keys_and_values() {
    for name in ["\"x\"", "@"] {
        let text = format!("{name}=\"two lines\n[{KDC}]\n\\\"\n\n");
        let inside = format!("REGEDIT4\n[HKLM\\X]\n{text}\"\n{TYPES}dword:1c\n");
        assert_eq!(places("a.reg", inside.as_bytes()), [], "{inside}");
        let outside = of_kdc(&format!("{name}=\"two lines\n[HKLM\\X]\n\"\n{TYPES}dword:1c"));
        assert_eq!(places("a.reg", outside.as_bytes()), rows(&[("kerberos-policy", "line 7")]));
    }
    let list = format!("REGEDIT4\n[{FUNCTIONS}]\n\"Functions\"=\"TLS_A,\nTLS_RC4_B\" ;comment\n");
    assert_eq!(places("a.reg", list.as_bytes()), rows(&[("schannel", "line 3")]));
    let open = of_kdc(&format!("{TYPES}dword:1c\n\"x\"=\"no end\n[-{KDC}]"));
    assert_eq!(places("a.reg", open.as_bytes()), rows(&[("kerberos-policy", "line 4")]));
}

/// Windows drops such a value, and an earlier one applies.
#[test]
fn a_known_value_that_is_not_understood_is_named() {
    for value in [
        "dword:fffffffff",
        "dword:00000001c",
        "dword:0x1c",
        "hex(4):1c,00",
        "hex(4):1c,,00,00,00",
        "hex:1c,00,00,00",
        "hex(0x4):1c,00,00,00",
        "hex(100000004):1c,00,00,00",
        "\"28\"28",
        "",
    ] {
        let export = of_kdc(&format!("{TYPES}dword:1c\n{TYPES}{value}\n\"Other\"={value}"));
        assert_eq!(surveyed("a.reg", export.as_bytes()).findings.len(), 1, "{value}");
        let expected = format!(
            "Windows registry: line 5: DefaultDomainSupportedEncTypes has a value that is not understood: {value:?}"
        );
        assert_eq!(unread("a.reg", export.as_bytes()), [expected]);
    }
    let twice = of_kdc(&format!("{TYPES}dword:\n{TYPES}dword:{}", "z".repeat(100)));
    let expected = "Windows registry: line 4: DefaultDomainSupportedEncTypes has a value that is not understood: \"dword:\"; 2 faults in all";
    assert_eq!(unread("a.reg", twice.as_bytes()), [expected]);
    let long = of_kdc(&format!("{TYPES}{}", "z".repeat(100)));
    assert!(unread("a.reg", long.as_bytes())[0].ends_with(&format!(": \"{}…\"", "z".repeat(60))));
}

/// Network Level Authentication needs TLS ([MS-RDPBCGR] 2.2.1.2.2, HYBRID_REQUIRED_BY_SERVER).
#[test]
fn a_server_that_requires_nla_has_no_standard_security() {
    for key in [
        r"HKLM\SYSTEM\CurrentControlSet\Control\Terminal Server\WinStations\RDP-Tcp",
        r"HKLM\SOFTWARE\Policies\Microsoft\Windows NT\Terminal Services",
    ] {
        for (layer, nla, findings) in [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0), (2, 0, 0)] {
            let export = format!(
                "REGEDIT4\n[{key}]\n\"SecurityLayer\"=dword:{layer}\n\"UserAuthentication\"=dword:{nla}\n"
            );
            assert_eq!(places("a.reg", export.as_bytes()).len(), findings, "{layer} {nla}");
        }
    }
}

#[test]
fn a_phase_before_the_enforcement_is_found() {
    let key = r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Policies\System\Kerberos\Parameters";
    for (phase, findings) in [(0, 1), (1, 1), (2, 0)] {
        let export = format!("REGEDIT4\n[{key}]\n\"RC4DefaultDisablementPhase\"=dword:{phase}\n");
        let expected = vec![("kerberos-phase", "line 3".to_owned()); findings];
        assert_eq!(places("a.reg", export.as_bytes()), expected);
    }
}

/// A registry has copies of the control set in use. A hive has the numbered sets alone.
#[test]
fn a_control_set_that_is_not_used_is_no_finding() {
    let set = |name: &str, types: u32| {
        format!(
            "[HKEY_LOCAL_MACHINE\\SYSTEM\\{name}\\Services\\KDC]\n\"DefaultDomainSupportedEncTypes\"=dword:{types:x}\n"
        )
    };
    let read = |sets: &[String]| places("a.reg", format!("REGEDIT4\n{}", sets.concat()).as_bytes());
    let (one, two) = (set("ControlSet001", 28), set("ControlSet002", 4));
    assert_eq!(read(&[one.clone(), two.clone()]).len(), 2);
    assert_eq!(
        read(&[one.clone(), set("CurrentControlSet", 28)]),
        rows(&[("kerberos-policy", "line 5")])
    );
    assert_eq!(read(&[set("CurrentControlSet", 24), one.clone(), two]), []);
    // Only the same value is a copy.
    for other in [
        "Services\\X]\n\"a\"=dword:1",
        "Services\\Netlogon\\Parameters]\n\"RejectMD5Clients\"=dword:1",
    ] {
        let other = format!("[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\{other}\n");
        assert_eq!(read(&[other, one.clone()]), rows(&[("kerberos-policy", "line 5")]));
    }
}

/// An entry of Registry.pol.
fn entry(key: &str, name: &str, kind: u32, data: &[u8]) -> Vec<u8> {
    let text = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let size = u32::try_from(data.len()).unwrap().to_le_bytes();
    let (open, next, end) = (text("["), text(";"), text("]"));
    [
        &open[..],
        &text(&format!("{key}\0")),
        &next,
        &text(&format!("{name}\0")),
        &next,
        &kind.to_le_bytes(),
        &next,
        &size,
        &next,
        data,
        &end,
    ]
    .concat()
}

const RDP: &str = r"SOFTWARE\Policies\Microsoft\Windows NT\Terminal Services";
const SSL: &str = r"SOFTWARE\Policies\Microsoft\Cryptography\Configuration\SSL\00010002";

fn policy(entries: &[Vec<u8>]) -> Vec<u8> {
    [&b"PReg\x01\0\0\0"[..], &entries.concat()].concat()
}

#[test]
fn a_policy_is_read() {
    let number = u32::to_le_bytes;
    let suites: Vec<u8> =
        "TLS_RSA_WITH_RC4_128_SHA\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let all = policy(&[
        entry(r"Software\Other", "Binary", 3, b"];[\0\0"),
        entry(RDP, "SecurityLayer", 4, &number(0)),
        entry(SSL, "Functions", 1, &suites),
        entry(
            r"SOFTWARE\Policies\Microsoft\Netlogon\Parameters",
            "**soft.RejectMD5Clients",
            4,
            &number(0),
        ),
    ]);
    let expected =
        rows(&[("rdp-policy", "entry 2"), ("schannel", "entry 3"), ("netlogon", "entry 4")]);
    let kdc = r"SYSTEM\CurrentControlSet\Services\KDC";
    let big_endian = |types: u32| {
        policy(&[entry(kdc, "DefaultDomainSupportedEncTypes", 5, &types.to_be_bytes())])
    };
    assert_eq!(places("Registry.pol", &big_endian(28)).len(), 1);
    assert_eq!(places("Registry.pol", &big_endian(28 << 24)), []);
    assert_eq!(places("Registry.pol", &all), expected);
    let deleted = policy(&[
        entry(RDP, "SecurityLayer", 4, &number(0)),
        entry(RDP, "**del.SecurityLayer", 1, b" \0\0\0"),
    ]);
    assert_eq!(places("Registry.pol", &deleted), []);
    assert_eq!(places("Registry.pol", &policy(&[])), []);
}

const NETLOGON: &str = r"SOFTWARE\Policies\Microsoft\Netlogon\Parameters";

fn utf16(text: &str) -> Vec<u8> {
    format!("{text}\0").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Each row has a key, a command, its list, and the number of findings that it leaves.
#[test]
fn commands_of_a_policy_are_obeyed() {
    let parent = NETLOGON.trim_end_matches(r"\Parameters");
    for (key, command, list, left) in [
        (NETLOGON, "**Del.RejectMD5Clients", " ", 0),
        (NETLOGON, "**del.RejectMD5Servers", " ", 1),
        (NETLOGON, "**DeleteValues", "Other; RejectMD5Clients", 0),
        (NETLOGON, "**DeleteValues", "Other;RejectMD5", 1),
        (NETLOGON, "**DelVals", " ", 0),
        (NETLOGON, "**delvals.", " ", 0),
        (parent, "**DelVals.", " ", 1),
        (parent, "**DeleteKeys", "Other;Parameters", 0),
        (parent, "**DeleteKeys", "Other;Param", 1),
        (r"SOFTWARE\Policies\Microsoft\Netlogon\", "**DeleteKeys", "Parameters", 0),
        (NETLOGON, "**DeleteKeys", "Parameters", 1),
        (NETLOGON, "**SecureKey", " ", 1),
        (NETLOGON, "**Comment:RejectMD5Clients", " ", 1),
    ] {
        let policy = policy(&[
            entry(NETLOGON, "RejectMD5Clients", 4, &[0; 4]),
            entry(key, command, 1, &utf16(list)),
        ]);
        assert_eq!(places("Registry.pol", &policy).len(), left, "{key} {command} {list}");
    }
}

#[test]
fn a_soft_value_of_a_policy_is_set_only_if_it_is_absent() {
    let soft = |value: u32| entry(NETLOGON, "**soft.RejectMD5Clients", 4, &value.to_le_bytes());
    let hard = |value: u32| entry(NETLOGON, "RejectMD5Clients", 4, &value.to_le_bytes());
    let delete = entry(NETLOGON, "**DelVals.", 1, &utf16(" "));
    assert_eq!(places("Registry.pol", &policy(&[hard(1), soft(0)])), []);
    assert_eq!(places("Registry.pol", &policy(&[hard(0), soft(1)])).len(), 1);
    assert_eq!(places("Registry.pol", &policy(&[hard(1), delete, soft(0)])).len(), 1);
}

#[test]
fn a_policy_names_a_known_value_that_is_not_understood() {
    let all = policy(&[
        entry(NETLOGON, "RejectMD5Clients", 4, &[0; 3]),
        entry(NETLOGON, "Other", 3, &[0; 3]),
        entry(NETLOGON, "RejectMD5Servers", 4, &[0; 4]),
    ]);
    assert_eq!(surveyed("Registry.pol", &all).findings.len(), 1);
    let expected = "Windows registry: entry 1: RejectMD5Clients has a value that is not understood: \"3 bytes of type 4\"";
    assert_eq!(unread("Registry.pol", &all), [expected]);
    let cut = unread("Registry.pol", &all[..all.len() - 1]);
    assert_eq!(cut, [format!("{expected}; 2 faults in all")]);
}

#[test]
fn a_damaged_policy_is_named_after_its_findings() {
    let first = entry(RDP, "SecurityLayer", 4, &[0; 4]);
    let whole = policy(&[first.clone(), entry(RDP, "Other", 4, &[0; 4])]);
    let start = 8 + first.len();
    for end in start + 1..whole.len() {
        let outcome = surveyed("Registry.pol", &whole[..end]);
        assert_eq!(outcome.findings.len(), 1);
        let why = outcome.unread.iter().map(|(_, why)| why.to_string()).collect::<Vec<_>>();
        let expected = format!("Windows registry: entry 2 at byte {start} is cut or damaged");
        assert_eq!(why, [expected], "{end}");
    }
    let mut huge = whole;
    let size = huge.len() - 2 - 4 - 2 - 4;
    huge[size..size + 4].fill(0xff);
    assert_eq!(surveyed("Registry.pol", &huge).unread.len(), 1);
}

#[test]
fn a_security_template_is_read() {
    let text = "[Unicode]\r\nUnicode=yes\r\n[Registry Values]\r\n\
        MACHINE\\Software\\Microsoft\\Windows\\CurrentVersion\\Policies\\System\\Kerberos\\Parameters\\SupportedEncryptionTypes=4,2147483647\r\n\
        MACHINE\\System\\CurrentControlSet\\Services\\Netlogon\\Parameters\\RejectMD5Servers = 4, 0\r\n\
        [Privilege Rights]\r\n\
        MACHINE\\System\\CurrentControlSet\\Services\\Netlogon\\Parameters\\RejectMD5Clients=4,0\r\n";
    let expected = rows(&[("kerberos-policy", "line 4"), ("netlogon", "line 5")]);
    assert_eq!(places("GptTmpl.inf", &wide(text)), expected);
    assert_eq!(places("exported.txt", text.as_bytes()), expected);
    let quoted = "[Registry Values]\n\"MACHINE\\Software\\Policies\\Microsoft\\Cryptography\\Configuration\\SSL\\00010002\\Functions\"=7,TLS_A,TLS_RSA_WITH_RC4_128_SHA\n";
    assert_eq!(places("a.inf", quoted.as_bytes()), rows(&[("schannel", "line 2")]));
    let strong = text.replace("2147483647", "2147483640").replace(", 0", ",1");
    assert_eq!(places("GptTmpl.inf", &wide(&strong)), []);
}

/// INF files have such comments and numbers (`SetupGetIntField`).
#[test]
fn a_template_has_comments_and_numbers_of_an_inf_file() {
    let one = |line: &str| format!("[Unicode]\n[Registry Values] ; all\n{line}\n").into_bytes();
    let rc4 = r"MACHINE\System\CurrentControlSet\Control\SecurityProviders\SCHANNEL\Ciphers\RC4 128/128\Enabled";
    let netlogon =
        r"MACHINE\System\CurrentControlSet\Services\Netlogon\Parameters\RejectMD5Clients";
    for line in [
        format!("{netlogon}=4,0 ; old"),
        format!("{netlogon}=4,0;old"),
        format!("{netlogon} = 4 , +0"),
        format!("\"{netlogon}\"=\"4\",\"0\""),
        format!("{netlogon}=4,0x0"),
        format!("{rc4}=4,-1"),
        format!("{rc4}=4,0xffffffff"),
        format!("{rc4}=4,0Xffff"),
        format!("{rc4}=4,4294967295"),
    ] {
        assert_eq!(places("a.inf", &one(&line)).len(), 1, "{line}");
    }
    for line in [
        format!(";{netlogon}=4,0"),
        format!("; {netlogon}=4,0"),
        format!("{netlogon}=4,1 ;4,0"),
        format!("{netlogon}=4,0x1"),
        format!("{rc4}=4,-0"),
    ] {
        assert_eq!(places("a.inf", &one(&line)), [], "{line}");
    }
    let list = format!(r#"MACHINE\{SSL}\Functions=7,"A;B","TLS_RC4_B","C" ;comment"#);
    let expected = format!(r"Functions has TLS_RC4_B, in MACHINE\{SSL}");
    assert_eq!(found("a.inf", &one(&list))[0].2, expected);
    for value in ["0", "4,", "4,x", "4,0x", "4,0 1", "4,4294967296", "3,0", "11,0", "x,0"] {
        let other = netlogon.replace("Clients", "Others");
        let why = unread("a.inf", &one(&format!("{other}={value}\n{netlogon}={value} ;comment")));
        let expected = format!(
            "Windows registry: line 4: RejectMD5Clients has a value that is not understood: {value:?}"
        );
        assert_eq!(why, [expected]);
    }
}

const PREFERENCES: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<RegistrySettings clsid="{A3CCFC41-DFDB-43a5-8D26-0FE8B954DA51}">
  <Registry clsid="{9CD4B2F4-923D-47f5-A062-E897DD1DAD50}" name="DefaultDomainSupportedEncTypes" status="DefaultDomainSupportedEncTypes" image="12" changed="2026-01-20 09:11:02" uid="{52C38FD7-A081-404C-A8EA-B24A9614D0B5}">
    <Properties action="U" displayDecimal="0" default="0" hive="HKEY_LOCAL_MACHINE"
                key="SYSTEM\CurrentControlSet\Services\KDC" name="DefaultDomainSupportedEncTypes" type="REG_DWORD" value="0000001C"/>
  </Registry>
  <Collection clsid="{53B533F5-224C-47e3-B01B-CA3B3F3FF4BF}" name="TLS">
    <Registry name="Enabled"><Properties action="C" hive="HKEY_LOCAL_MACHINE" key="\SYSTEM\CurrentControlSet\Control\SecurityProviders\SCHANNEL\Ciphers\RC4 128&#47;128" name="Enabled" type="REG_DWORD" value="FFFFFFFF"></Properties></Registry>
    <Registry name="Functions"><Properties hive="HKEY_LOCAL_MACHINE" key="SYSTEM\CurrentControlSet\Control\Cryptography\Configuration\Local\SSL\00010002" name="Functions" type="REG_MULTI_SZ" value="TLS_AES_128_GCM_SHA256 TLS_RSA_WITH_RC4_128_SHA"><Values><Value>TLS_AES_128_GCM_SHA256</Value><Value>TLS_RSA_WITH_RC4_128_SHA</Value></Values></Properties></Registry>
  </Collection>
</RegistrySettings>
"#;

#[test]
fn preferences_of_a_policy_are_read() {
    let expected =
        rows(&[("kerberos-policy", "line 4"), ("schannel", "line 8"), ("schannel", "line 9")]);
    assert_eq!(places("Registry.xml", PREFERENCES.as_bytes()), expected);
    assert_eq!(places("Registry.xml", &wide(&PREFERENCES.replace('\n', "\r\n"))), expected);
}

/// Preferences with one item of the KDC's key, at the bar in the text around.
fn preferred(around: &str, properties: &str) -> String {
    let (before, after) = around.split_once('|').unwrap();
    format!("<RegistrySettings>{before}<Properties {properties}/>{after}</RegistrySettings>")
}

const PREFERRED_KEY: &str =
    r#"hive="HKEY_LOCAL_MACHINE" key="SYSTEM\CurrentControlSet\Services\KDC""#;
const PREFERRED: &str =
    r#"name="DefaultDomainSupportedEncTypes" type="REG_DWORD" value="00000004""#;

#[test]
fn disabled_and_deleting_preferences_are_obeyed() {
    let set = format!("{PREFERRED_KEY} {PREFERRED}");
    let sets = format!("<Properties {set}/>");
    for (around, properties, expected) in [
        ("<Registry>|</Registry>", &*set, 1),
        ("<Registry disabled=\"0\">|</Registry>", &set, 1),
        ("<Registry disabled=\"1\">|</Registry>", &set, 0),
        ("<Collection disabled=\"1\"><Registry/><Registry>|</Registry></Collection>", &set, 0),
        ("<Collection disabled=\"1\"><Registry></Registry></Collection>|", &set, 1),
        (
            &format!("{sets}|"),
            &format!("action=\"D\" {PREFERRED_KEY} name=\"defaultdomainsupportedenctypes\""),
            0,
        ),
        (&format!("{sets}|"), &format!("action=\"D\" {PREFERRED_KEY} name=\"Other\""), 1),
        (&format!("{sets}|"), &format!("action=\"D\" {PREFERRED_KEY}"), 0),
        (&format!("{sets}|"), &format!("action=\"R\" {PREFERRED_KEY}"), 0),
        (&format!("{sets}|"), &format!("action=\"U\" {PREFERRED_KEY}"), 1),
        (&format!("{sets}|"), &format!("action=\"D\" {PREFERRED_KEY} default=\"1\""), 1),
    ] {
        let text = preferred(around, properties);
        assert_eq!(places("Registry.xml", text.as_bytes()).len(), expected, "{text}");
    }
}

#[test]
fn wrong_preferences_are_named_after_their_findings() {
    let set = format!("{PREFERRED_KEY} {PREFERRED}");
    let right = preferred("|\n", &set);
    for (text, why) in [
        (
            right.replace("00000004", "4G"),
            "line 1: DefaultDomainSupportedEncTypes has a value that is not understood: \"4G\"",
        ),
        (right.replace("</RegistrySettings>", "</Registry>"), "line 2: wrong XML: "),
        (right.replace("</RegistrySettings>", "<Properties name=>"), "line 2: wrong XML: "),
        (
            right.replace("</RegistrySettings>", "<Properties name=\"&unknown;\"/>"),
            "line 2: wrong XML: ",
        ),
    ] {
        let outcome = surveyed("Registry.xml", text.as_bytes());
        let told = outcome.unread.iter().map(|(_, why)| why.to_string()).collect::<Vec<_>>();
        assert!(
            matches!(&told[..], [one] if one.starts_with(&format!("Windows registry: {why}"))),
            "{told:?}"
        );
        assert_eq!(outcome.findings.len(), usize::from(why.contains("XML")), "{text}");
    }
}

/// A hive is not read, and the report says so.
#[test]
fn a_hive_is_named() {
    let outcome = surveyed("SYSTEM", &[&b"regf"[..], &[0; 508]].concat());
    let why = outcome.unread.iter().map(|(_, why)| why.to_string()).collect::<Vec<_>>();
    assert_eq!(why, ["Windows registry: a hive is not looked into"]);
}
