use super::*;
use crate::series::{
    codec::{begin, seal},
    lane::Lane,
};

type PageBytes = BTreeMap<(TokenId, u8, u32), Vec<u8>>;

fn keep(kept: &mut PageBytes, pages: Vec<(TokenId, TrackPage)>) {
    for (token, (resolution, number, bytes)) in pages {
        kept.insert((token, resolution, number), bytes);
    }
}

fn kept(board: &PriceBoard) -> PageBytes {
    let mut all = PageBytes::new();
    keep(&mut all, board.pages_from(0));
    all
}

fn load(kept: &PageBytes) -> PriceBoard {
    let track = |token: TokenId| {
        let pages = kept.iter().filter(|((of, ..), _)| *of == token);
        let pages =
            pages.map(|((_, resolution, number), bytes)| (*resolution, *number, bytes.clone()));
        (token, PriceTrack::from_pages(pages).unwrap())
    };
    PriceBoard::from_tracks(tokens().map(track))
}

/// Takes back all blocks but the first so many, as a chain does that is
/// reorganised.
fn take_back(board: &mut PriceBoard, blocks: &[Block], height: usize) -> i64 {
    let time = blocks[height].time;
    board.cut(time);
    let minute = Resolution::Minute.opens(Resolution::Minute.bucket(time));
    let again = blocks.partition_point(|block| block.time < minute);
    apply(board, &blocks[again.min(height)..height]);
    time
}

/// Blocks that come after others.
fn after(blocks: &[Block], more: Vec<Block>) -> Vec<Block> {
    let shift = blocks.last().map_or(0, |block| block.time - more[0].time);
    let later = |block: Block| Block {
        time: block.time + shift.max(0),
        ..block
    };
    more.into_iter().map(later).collect()
}

fn assert_same(one: &PriceBoard, other: &PriceBoard) -> Result<(), TestCaseError> {
    prop_assert_eq!(kept(one), kept(other));
    prop_assert_eq!(one.week, other.week);
    prop_assert_eq!(&one.fresh, &other.fresh);
    for token in tokens() {
        let bits = |board: &PriceBoard| board.usd(token).map(f64::to_bits);
        prop_assert_eq!(bits(one), bits(other));
        prop_assert_eq!(one.quote(token), other.quote(token));
        prop_assert_eq!(one.first(token), other.first(token));
        prop_assert_eq!(
            one.tracks.get(token).is_some(),
            other.tracks.get(token).is_some()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_taken_back_was_never_there(
        blocks in chains(60),
        height: prop::sample::Index,
        more in chains(30),
    ) {
        let height = height.index(blocks.len());
        let mut cut = board(&blocks);
        take_back(&mut cut, &blocks, height);
        let mut never = board(&blocks[..height]);
        assert_same(&cut, &never)?;
        let more = after(&blocks[..height], more);
        apply(&mut cut, &more);
        apply(&mut never, &more);
        assert_same(&cut, &never)?;
    }

    #[test]
    fn a_cut_at_the_beginning_of_a_bucket_leaves_what_was_before(
        blocks in chains(60),
        at: prop::sample::Index,
        resolution in 0_usize..7,
        seconds in 0_i64..60,
    ) {
        let resolution = Resolution::STORED[resolution];
        let opens = resolution.opens(resolution.bucket(at.get(&blocks).time));
        let height = blocks.partition_point(|block| block.time < opens);
        let mut cut = board(&blocks);
        cut.cut(opens + seconds);
        assert_same(&cut, &board(&blocks[..height]))?;
    }

    #[test]
    fn a_board_that_is_loaded_goes_on_as_if_it_had_never_stopped(
        blocks in chains(60),
        height: prop::sample::Index,
        cut: prop::sample::Index,
    ) {
        let height = height.index(blocks.len() + 1);
        let mut loaded = load(&kept(&board(&blocks[..height])));
        assert_same(&loaded, &board(&blocks[..height]))?;
        apply(&mut loaded, &blocks[height..]);
        let mut never_stopped = board(&blocks);
        assert_same(&loaded, &never_stopped)?;
        let cut = cut.get(&blocks).time;
        loaded.cut(cut);
        never_stopped.cut(cut);
        assert_same(&loaded, &never_stopped)?;
    }

    /// What a store holds that is told only of changed pages.
    #[test]
    fn pages_that_did_not_change_need_not_be_taken(
        blocks in chains(60),
        take_every in 1_usize..20,
        height: prop::sample::Index,
        more in chains(30),
    ) {
        let (mut board, mut store) = (PriceBoard::default(), PageBytes::new());
        for (index, block) in blocks.iter().enumerate() {
            board.block(block.time, &block.quotes);
            if index % take_every == 0 {
                keep(&mut store, board.take_pages());
                prop_assert_eq!(&store, &kept(&board));
                prop_assert!(board.take_pages().is_empty());
            }
        }
        let height = height.index(blocks.len());
        let time = take_back(&mut board, &blocks, height);
        store.retain(|(_, resolution, number), _| {
            let resolution = Resolution::STORED[usize::from(*resolution)];
            *number < crate::series::page_at(resolution, time)
        });
        keep(&mut store, board.pages_from(time));
        apply(&mut board, &after(&blocks[..height], more));
        keep(&mut store, board.take_pages());
        prop_assert_eq!(&store, &kept(&board));
    }

    #[test]
    fn a_broken_page_is_refused_and_never_panics(
        blocks in chains(60),
        page: prop::sample::Index,
        at: prop::sample::Index,
        bit in 0_u8..8,
    ) {
        let pages = board(&blocks).pages_from(0);
        prop_assume!(!pages.is_empty());
        let (_, (_, number, bytes)) = page.get(&pages);
        let alone = |bytes: &[u8]| Lane::<Bar>::from_pages(vec![(*number, bytes.to_vec())]);
        prop_assert!(alone(bytes).is_ok());
        for end in 0..bytes.len() {
            prop_assert!(alone(&bytes[..end]).is_err());
            prop_assert!(alone(&seal(bytes[..end].to_vec())).is_err());
        }
        prop_assert!(alone(&[bytes, &[0][..]].concat()).is_err());
        prop_assert!(alone(&seal([bytes, &[0][..]].concat())).is_err());
        let mut changed = bytes.clone();
        changed[at.index(bytes.len())] ^= 1 << bit;
        prop_assert!(alone(&changed).is_err());
        // With the right checksum it may be another page, which then is written
        // so too.
        let changed = seal(changed);
        if let Ok(lane) = alone(&changed) {
            prop_assert_eq!(lane.encode(0), vec![(*number, changed)]);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let sealed = seal([begin(), bytes.clone()].concat());
        let _ = PriceTrack::from_pages([(0, 0, bytes)]);
        let _ = PriceTrack::from_pages([(0, 0, sealed)]);
    }
}

#[test]
fn pages_that_do_not_belong_together_are_refused() {
    use crate::series::PageError;
    let hub = Hub::Usd;
    let mut board = PriceBoard::default();
    board.block(MONDAY, &[(TokenId(0), Quote { hub, ratio: 1.0 })]);
    board.block(MONDAY + 90_000, &[(TokenId(0), Quote { hub, ratio: 2.0 })]);
    let pages: Vec<TrackPage> = board.pages_from(0).into_iter().map(|page| page.1).collect();
    let load = |pages: &[TrackPage]| PriceTrack::from_pages(pages.iter().cloned()).map(|_| ());
    assert_eq!(load(&pages), Ok(()));
    assert_eq!(load(&[]), Ok(()));
    assert_eq!(load(&pages[1..]), Err(PageError::Torn));
    assert_eq!(load(&pages[..pages.len() - 1]), Err(PageError::Torn));
    let (minute, later) = (pages[0].clone(), pages[1].clone());
    assert_eq!(load(&[later, minute.clone()]), Err(PageError::Order));
    assert_eq!(
        load(&[minute.clone(), minute.clone()]),
        Err(PageError::Order)
    );
    let (_, number, bytes) = minute;
    assert_eq!(
        load(&[(7, number, bytes.clone())]),
        Err(PageError::Resolution(7))
    );
    assert_eq!(
        load(&[(0, u32::MAX, bytes.clone())]),
        Err(PageError::Malformed)
    );
    let newer = [&[2], &bytes[1..]].concat();
    assert_eq!(load(&[(0, number, newer)]), Err(PageError::Version(2)));
}
