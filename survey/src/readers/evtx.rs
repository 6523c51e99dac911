//! Windows event logs: RC4 in what a domain controller issued and was sent, and its warnings.
//!
//! Tickets are events 4768, 4769 and 4770 of the log Security. The KDC's own events 201 to 209 came with CVE-2026-20833 and are in
//! the log System: <https://support.microsoft.com/help/5073381>.

use std::{
    collections::BTreeMap,
    error::Error,
    io::{self, Read, Seek, SeekFrom},
    iter,
    path::Path,
};

use evtx::{EvtxParser, ParserSettings};
use serde_json::Value;

use super::{ReadError, Reader, kerberos::Etype};
use crate::{Finding, Input, RuleId, input};

const TICKET: RuleId = RuleId::new("event-ticket");
const SESSION: RuleId = RuleId::new("event-session");
const ACCOUNT: RuleId = RuleId::new("event-account");
const AUDIT: RuleId = RuleId::new("event-audit");

/// Sizes of a log's header and of each chunk of records after it.
const HEADER: u64 = 4096;
const CHUNK: u64 = 65_536;

/// The reader of event logs.
#[derive(Debug)]
pub struct EventLog;

/// Maximum number of services and events counted separately. Tickets beyond it are counted
/// together.
const MOST_PLACES: usize = 20_000;

/// The meaning of the KDC's events of 2026.
const AUDITS: [(u64, &str); 9] = [
    (201, "the client has only RC4, and the account has no encryption types; will be blocked"),
    (202, "the account has no AES key; will be blocked"),
    (203, "blocked: the client has only RC4, and the account has no encryption types"),
    (204, "blocked: the account has no AES key"),
    (205, "DefaultDomainSupportedEncTypes allows RC4"),
    (206, "the account is set to AES, the client has only RC4; will be blocked"),
    (207, "the account is set to AES and has no AES key; will be blocked"),
    (208, "blocked: the account is set to AES, the client has only RC4"),
    (209, "blocked: the account is set to AES and has no AES key"),
];

impl Reader for EventLog {
    fn name(&self) -> &'static str {
        "event log"
    }

    fn recognises(&self, _: &Path, head: &[u8]) -> bool {
        head.starts_with(b"ElfFile\0")
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let mut seen: BTreeMap<Seen, (u64, u64)> = BTreeMap::new();
        let (mut first_fault, mut faults) = (None, 0_u64);
        let mut note = |fault: String| {
            first_fault.get_or_insert(fault);
            faults += 1;
        };
        let (size, stopped) = (input.size(), input.stopped());
        let chunks = size.saturating_sub(HEADER).div_ceil(CHUNK);
        let end = HEADER + chunks * CHUNK;
        {
            input.rewind()?;
            let parser = EvtxParser::from_read_seek(Padded { input, end })
                .map_err(|fault| ReadError::Damaged(with_causes(&fault)))?;
            // A log that is in use has more chunks than its header counts.
            let counted = u64::from(parser.header().chunk_count);
            if size < end {
                note(format!("it ends within a chunk of {CHUNK} bytes"));
            } else if chunks < counted {
                note(format!("its header counts {counted} chunks, and it has {chunks}"));
            }
            let settings = ParserSettings::new().num_threads(1).separate_json_attributes(true);
            let mut parser = parser.with_configuration(settings);
            for record in parser.records_json() {
                match record {
                    Ok(record) => {
                        for one in look(&record.data) {
                            let one = if seen.len() < MOST_PLACES || seen.contains_key(&one) {
                                one
                            } else {
                                Seen { account: "others".to_owned(), ..one }
                            };
                            seen.entry(one).or_insert((0, record.event_record_id)).0 += 1;
                        }
                    }
                    Err(fault) => note(with_causes(&fault)),
                }
            }
        }
        for (one, (count, record)) in seen {
            let Seen { rule, event, account, what } = one;
            let place = input.at(format!("record {record}"));
            let of = if account.is_empty() { String::new() } else { format!(", {account}") };
            let finding = Finding::new(rule, place, format!("event {event}{of}: {what}"));
            let finding = finding.times(count).with("event", event.to_string());
            found(finding.with("account", account));
        }
        if stopped() {
            return Err(input::stopped().into());
        }
        match first_fault {
            None => Ok(()),
            Some(first) if faults == 1 => Err(ReadError::Damaged(first)),
            Some(first) => Err(ReadError::Damaged(format!("{first}; {faults} faults in all"))),
        }
    }
}

/// Returns an error's message and the messages of its causes.
fn with_causes(fault: &dyn Error) -> String {
    let causes = iter::successors(Some(fault), |fault| (*fault).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The input with zeros up to `end`. The parser leaves out a chunk that is not whole, and the whole
/// records in it.
struct Padded<'input, 'a> {
    input: &'input mut Input<'a>,
    end: u64,
}

impl Read for Padded<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        if read > 0 {
            return Ok(read);
        }
        let left = self.end.saturating_sub(self.input.stream_position()?);
        let zeros = buffer.len().min(left as usize);
        buffer[..zeros].fill(0);
        self.input.seek_relative(zeros as i64)?;
        Ok(zeros)
    }
}

impl Seek for Padded<'_, '_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.input.seek(match to {
            SeekFrom::End(by) => SeekFrom::Start(self.end.saturating_add_signed(by)),
            to => to,
        })
    }
}

/// One kind of event for one account.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    rule: RuleId,
    event: u64,
    account: String,
    what: String,
}

/// Returns an event's information about RC4.
fn look(text: &str) -> Vec<Seen> {
    // Only the few events that can be one of these are parsed.
    if !["4768", "4769", "4770", "Kdcsvc", "KDCSVC", "Kerberos-Key-Distribution-Center"]
        .iter()
        .any(|sign| text.contains(sign))
    {
        return Vec::new();
    }
    serde_json::from_str(text).ok().and_then(|event| seen(&event)).unwrap_or_default()
}

fn seen(event: &Value) -> Option<Vec<Seen>> {
    let (system, data) = (&event["Event"]["System"], &event["Event"]["EventData"]);
    let number = system["EventID"].as_u64().or_else(|| system["EventID"].as_str()?.parse().ok())?;
    let provider = system["Provider_attributes"]["Name"].as_str().unwrap_or_default();
    let field = |name: &str| data[name].as_str().unwrap_or_default().trim().to_owned();
    match number {
        4768..=4770 if provider == "Microsoft-Windows-Security-Auditing" => {
            let service = field("ServiceName");
            // The account with the key: for a first ticket the client, for others the service.
            let (account, of) = match number {
                4768 => (field("TargetUserName"), format!(" for {service}")),
                _ => (service, String::new()),
            };
            let kinds = [
                ("TicketEncryptionType", TICKET, "ticket"),
                ("SessionKeyEncryptionType", SESSION, "session key"),
                ("PreAuthEncryptionType", ACCOUNT, "pre-authentication"),
            ];
            let seen = kinds.into_iter().filter_map(|(name, rule, what)| {
                let etype = Etype(number_of(&data[name])?);
                let what = format!("{what}{of}: {etype}");
                etype.is_rc4().then(|| Seen { rule, event: number, account: account.clone(), what })
            });
            Some(seen.collect())
        }
        201..=209
            if provider.eq_ignore_ascii_case("Kdcsvc")
                || provider == "Microsoft-Windows-Kerberos-Key-Distribution-Center" =>
        {
            if system["Channel"].as_str() != Some("System") {
                return None; // the operational log of this provider reuses these numbers
            }
            let (_, meaning) = AUDITS.iter().find(|(event, _)| *event == number)?;
            let account = ["ServiceName", "AccountName", "Account"].iter().map(|name| field(name));
            let account = account.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
            Some(vec![Seen { rule: AUDIT, event: number, account, what: (*meaning).to_owned() }])
        }
        _ => None,
    }
}

/// Reads a number of an event log: `0x17`, or decimal.
fn number_of(value: &Value) -> Option<i32> {
    if let Some(number) = value.as_i64() {
        return i32::try_from(number).ok();
    }
    let text = value.as_str()?.trim();
    text.strip_prefix("0x").map_or_else(
        || text.parse().ok(),
        |hex| u32::from_str_radix(hex, 16).ok().map(|bits| bits as i32),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: u64, provider: &str, channel: &str, data: &str) -> String {
        format!(
            r#"{{"Event":{{"System":{{"Provider_attributes":{{"Name":"{provider}"}},"EventID":{number},"Channel":"{channel}"}},"EventData":{data}}}}}"#
        )
    }

    const SECURITY: &str = "Microsoft-Windows-Security-Auditing";

    #[test]
    fn a_ticket_is_told_by_its_etype() {
        let found = |number, ticket: &str, session: &str, before: &str| {
            let data = format!(
                r#"{{"TargetUserName":"joe","ServiceName":"web$","TicketEncryptionType":"{ticket}","SessionKeyEncryptionType":"{session}","PreAuthEncryptionType":"{before}"}}"#
            );
            let seen = look(&event(number, SECURITY, "Security", &data)).into_iter();
            seen.map(|one| (one.rule, one.account, one.what)).collect::<Vec<_>>()
        };
        let of = |rule, account: &str, what: &str| (rule, account.to_owned(), what.to_owned());
        let both = [
            of(TICKET, "web$", "ticket: arcfour-hmac"),
            of(SESSION, "web$", "session key: arcfour-hmac"),
        ];
        assert_eq!(found(4769, "0x17", "0x12", ""), both[..1]);
        assert_eq!(found(4770, "0x17", "0x12", ""), both[..1]);
        assert_eq!(found(4769, "0x18", "0x12", "").len(), 1);
        assert_eq!(found(4769, "0x12", "0x17", ""), both[1..]);
        assert_eq!(found(4769, "0x17", "0x17", ""), both);
        assert_eq!(found(4769, "0x12", "0x12", ""), []);
        assert_eq!(found(4769, "0xffffffff", "", ""), []);
        assert_eq!(found(4771, "0x17", "0x17", "0x17"), []);
        let first = [
            of(TICKET, "joe", "ticket for web$: arcfour-hmac"),
            of(ACCOUNT, "joe", "pre-authentication for web$: arcfour-hmac"),
        ];
        assert_eq!(found(4768, "0x17", "0x12", "0x17"), first);
        assert_eq!(found(4768, "0x12", "0x12", "0x17"), first[1..]);
    }

    #[test]
    fn the_events_of_2026_are_those_of_the_system_log() {
        let data = r#"{"ServiceName":"sql"}"#;
        for (number, meaning) in AUDITS {
            let seen = &look(&event(number, "Kdcsvc", "System", data))[0];
            assert_eq!((seen.rule, seen.account.as_str()), (AUDIT, "sql"));
            assert_eq!(seen.what, meaning);
        }
        let kdc = "Microsoft-Windows-Kerberos-Key-Distribution-Center";
        assert_eq!(look(&event(201, kdc, "System", data)).len(), 1);
        let empty = look(&event(201, kdc, "Microsoft-Windows-Kerberos/Operational", data));
        assert_eq!(empty, []);
        assert_eq!(look(&event(201, "Netlogon Kdcsvc", "System", data)), []);
        assert_eq!(look(&event(200, "Kdcsvc", "System", data)), []);
    }
}
