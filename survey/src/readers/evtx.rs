//! Windows event logs: tickets that a domain controller issued with RC4, and its warnings.
//!
//! Tickets are events 4768 and 4769 of the log Security. The KDC's own events 201 to 209 came with CVE-2026-20833 and are in the
//! log System: <https://support.microsoft.com/help/5073381>.

use std::{collections::BTreeMap, io::Seek as _, path::Path};

use evtx::{EvtxParser, ParserSettings};
use serde_json::Value;

use super::{ReadError, Reader, kerberos::Etype};
use crate::{Finding, Input, RuleId};

const TICKET: RuleId = RuleId::new("event-ticket");
const SESSION: RuleId = RuleId::new("event-session");
const AUDIT: RuleId = RuleId::new("event-audit");

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
        let mut damaged = None;
        {
            input.rewind()?;
            let source = Whole(input);
            let parser = EvtxParser::from_read_seek(source)
                .map_err(|fault| ReadError::Damaged(fault.to_string()))?;
            let settings = ParserSettings::new().num_threads(1).separate_json_attributes(true);
            let mut parser = parser.with_configuration(settings);
            for record in parser.records_json() {
                match record {
                    Ok(record) => {
                        if let Some(one) = look(&record.data) {
                            let one = if seen.len() < MOST_PLACES || seen.contains_key(&one) {
                                one
                            } else {
                                Seen { account: "others".to_owned(), ..one }
                            };
                            seen.entry(one).or_insert((0, record.event_record_id)).0 += 1;
                        }
                    }
                    Err(fault) => damaged = damaged.or(Some(fault.to_string())),
                }
            }
        }
        for (one, (count, record)) in seen {
            let place = input.at(format!("record {record}"));
            let finding = Finding::new(one.rule, place, one.evidence).times(count);
            found(finding.with("event", one.event.to_string()).with("account", one.account));
        }
        damaged.map_or(Ok(()), |fault| Err(ReadError::Damaged(fault)))
    }
}

/// Adapts the input to the parser's trait.
struct Whole<'input, 'a>(&'input mut Input<'a>);

impl std::io::Read for Whole<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl std::io::Seek for Whole<'_, '_> {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

/// One kind of event for one account.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    rule: RuleId,
    event: u64,
    account: String,
    evidence: String,
}

/// Returns an event's information about RC4.
fn look(text: &str) -> Option<Seen> {
    // Only the few events that can be one of these are parsed.
    if !["4768", "4769", "Kdcsvc", "KDCSVC", "Kerberos-Key-Distribution-Center"]
        .iter()
        .any(|sign| text.contains(sign))
    {
        return None;
    }
    let event: Value = serde_json::from_str(text).ok()?;
    let (system, data) = (&event["Event"]["System"], &event["Event"]["EventData"]);
    let number = system["EventID"].as_u64().or_else(|| system["EventID"].as_str()?.parse().ok())?;
    let provider = system["Provider_attributes"]["Name"].as_str().unwrap_or_default();
    let field = |name: &str| data[name].as_str().unwrap_or_default().trim().to_owned();
    let etype = |name: &str| Etype(number_of(&data[name]).unwrap_or(0));
    match number {
        4768 | 4769 if provider == "Microsoft-Windows-Security-Auditing" => {
            let (ticket, session) =
                (etype("TicketEncryptionType"), etype("SessionKeyEncryptionType"));
            let service = field("ServiceName");
            let account = if number == 4768 { field("TargetUserName") } else { service.clone() };
            let (rule, what) = if ticket.is_rc4() {
                (TICKET, format!("ticket for {service}: {ticket}"))
            } else if session.is_rc4() {
                (SESSION, format!("session key for {service}: {session}"))
            } else {
                return None;
            };
            Some(Seen { rule, event: number, account, evidence: format!("event {number}, {what}") })
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
            Some(Seen {
                rule: AUDIT,
                event: number,
                account,
                evidence: format!("event {number}, {meaning}"),
            })
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
        let data = |ticket: &str, session: &str| {
            format!(
                r#"{{"ServiceName":"web$","TicketEncryptionType":"{ticket}","SessionKeyEncryptionType":"{session}"}}"#
            )
        };
        let look = |ticket, session| {
            look(&event(4769, SECURITY, "Security", &data(ticket, session))).map(|seen| seen.rule)
        };
        assert_eq!(look("0x17", "0x12"), Some(TICKET));
        assert_eq!(look("0x18", "0x12"), Some(TICKET));
        assert_eq!(look("0x12", "0x17"), Some(SESSION));
        assert_eq!(look("0x12", "0x12"), None);
        assert_eq!(look("0xffffffff", ""), None);
    }

    #[test]
    fn the_events_of_2026_are_those_of_the_system_log() {
        let data = r#"{"ServiceName":"sql"}"#;
        for (number, meaning) in AUDITS {
            let seen = look(&event(number, "Kdcsvc", "System", data)).unwrap();
            assert_eq!((seen.rule, seen.account.as_str()), (AUDIT, "sql"));
            assert!(seen.evidence.contains(meaning));
        }
        let kdc = "Microsoft-Windows-Kerberos-Key-Distribution-Center";
        assert!(look(&event(201, kdc, "System", data)).is_some());
        assert!(look(&event(201, kdc, "Microsoft-Windows-Kerberos/Operational", data)).is_none());
        assert!(look(&event(201, "Netlogon Kdcsvc", "System", data)).is_none());
        assert!(look(&event(200, "Kdcsvc", "System", data)).is_none());
    }
}
