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

#[test]
fn the_last_value_of_a_name_applies() {
    let head = "REGEDIT4\n\n[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\KDC]\n";
    let name = "\"DefaultDomainSupportedEncTypes\"=";
    let read = |rest: &str| places("a.reg", format!("{head}{rest}").as_bytes());
    assert_eq!(
        read(&format!("{name}dword:1c ; with RC4\n")),
        rows(&[("kerberos-policy", "line 4")])
    );
    assert_eq!(
        read(&format!("{name}hex(4):1c,00,00,00\n")),
        rows(&[("kerberos-policy", "line 4")])
    );
    for rest in [
        format!("{name}dword:0000001c\n{}dword:00000018\n", name.to_lowercase()),
        format!("{name}dword:0000001c\n{name}-\n"),
        format!(
            "{name}dword:0000001c\n[-HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services]\n"
        ),
        format!(
            "[-HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\KDC]\n{name}dword:1c\n"
        ),
        format!(";{name}dword:0000001c\n"),
        format!("{name}dword:fffffffff\n"),
        format!("{name}hex(4):1c,00\n"),
        format!("{name}\"28\"\n"),
        format!("\"Default\\\"{name}dword:0000001c\n"),
    ] {
        assert_eq!(read(&rest), [], "{rest}");
    }
    let old = "REGEDIT4\n[HKLM\\SYSTEM\\CurrentControlSet\\Control\\Cryptography\\Configuration\\Local\\SSL\\00010002]\n\
               \"Functions\"=hex(7):54,4c,53,5f,41,00,54,4c,53,5f,52,\\\n  43,34,5f,42,00,00\n";
    // The suite is TLS_RC4_B.
    assert_eq!(places("old.reg", old.as_bytes()), rows(&[("schannel", "line 3")]));
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
    assert_eq!(read(&[set("CurrentControlSet", 24), one, two]), []);
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

/// A hive is not read, and the report says so.
#[test]
fn a_hive_is_named() {
    let outcome = surveyed("SYSTEM", &[&b"regf"[..], &[0; 508]].concat());
    let why = outcome.unread.iter().map(|(_, why)| why.to_string()).collect::<Vec<_>>();
    assert_eq!(why, ["Windows registry: a hive is not looked into"]);
}
