//! Counts the packets that are not read, by their link type.

use std::collections::BTreeMap;

use pcap_parser::Linktype;

/// Number of link types that are named. The others are counted together.
const NAMED: usize = 3;

/// The number of packets of each link type that is not read.
#[derive(Default)]
pub(super) struct Unread(BTreeMap<i32, u64>);

impl Unread {
    pub(super) fn packet(&mut self, link: Linktype) {
        *self.0.entry(link.0).or_default() += 1;
    }

    /// Returns what was not read, the most frequent link types first; `None` if all was read.
    pub(super) fn what(self) -> Option<String> {
        let mut links: Vec<_> = self.0.into_iter().collect();
        links.sort_by_key(|(link, count)| (std::cmp::Reverse(*count), *link));
        let (named, others) = links.split_at(links.len().min(NAMED));
        let mut parts: Vec<_> = named
            .iter()
            .map(|(link, count)| format!("{} of {}", packets(*count), name(*link)))
            .collect();
        if !others.is_empty() {
            let count = others.iter().map(|(_, count)| count).sum();
            parts.push(format!("{} of {} other link types", packets(count), others.len()));
        }
        (!parts.is_empty()).then(|| format!("the content of {}", parts.join(", ")))
    }
}

fn packets(count: u64) -> String {
    if count == 1 { "1 packet".to_owned() } else { format!("{count} packets") }
}

fn name(link: i32) -> String {
    if link < 0 { "an unknown interface".to_owned() } else { format!("link type {link}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_link_types_are_named() {
        let what = |links: &[i32]| {
            let mut unread = Unread::default();
            links.iter().for_each(|link| unread.packet(Linktype(*link)));
            unread.what()
        };
        assert_eq!(what(&[]), None);
        assert_eq!(what(&[239]).unwrap(), "the content of 1 packet of link type 239");
        assert_eq!(
            what(&[8, -1, 258, 258, 7, 258, -1, 6, 6]).unwrap(),
            "the content of 3 packets of link type 258, 2 packets of an unknown interface, \
             2 packets of link type 6, 2 packets of 2 other link types"
        );
    }
}
