//! The reader of campaigns: no panic, every fault has words, and what is accepted holds together.
#![cfg_attr(not(test), no_main)]

use arcfour_stats::campaign::{Campaign, MAX_CELLS};

arcfour_fuzz::target!(|text: &[u8]| {
    let text = arcfour_fuzz::text(text);
    match Campaign::parse(text) {
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
        }
        Ok(campaign) => {
            let cells: usize = campaign.sections().iter().map(|section| section.len()).sum();
            assert!((1..=MAX_CELLS).contains(&(cells as u64)));
            let json = serde_json::to_string(&campaign).expect("a campaign is valid JSON");
            assert_eq!(serde_json::from_str::<Campaign>(&json).expect("its own JSON"), campaign);
            for section in campaign.sections() {
                let last = section.groups - 1;
                let events = u128::from(campaign.events(section.kind, last));
                let all =
                    u128::from(campaign.shards()) * u128::from(campaign.keystreams()) * events;
                assert!(all <= 1 << 63);
            }
        }
    }
});
