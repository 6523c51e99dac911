//! A key mask: no text makes the reader panic, and what it accepts is printed in a form that reads back.

#![cfg_attr(not(test), no_main)]

use arcfour_attacks::search::{KeySpace, Pattern};

arcfour_fuzz::target!(|text: &[u8]| {
    let text = arcfour_fuzz::text(text);
    let Ok(pattern) = text.parse::<Pattern>() else { return };
    // A count makes up to 4096 positions of a few bytes. Printing and reading takes its time for each of them.
    if pattern.sets().len() <= 256 {
        assert_eq!(pattern.to_string().parse(), Ok(pattern.clone()));
    }
    let Ok(space) = KeySpace::new(pattern) else { return };
    let last = space.key(space.size() - 1);
    let sets = space.pattern().sets();
    assert_eq!(last.len(), sets.len());
    assert!(last.iter().zip(sets).all(|(&byte, set)| set.contains(byte)));
});
