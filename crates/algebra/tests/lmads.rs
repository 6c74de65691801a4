//! Index functions against explicit lists of positions, on all small shapes and strides, empty ones included.

mod naive;
mod positions;

use std::collections::BTreeSet;

use naive::{Dice, parse};
use positions::{given, positions};
use terrace_algebra::{Assumptions, Dim, Lmad, Size, SizeVar, Triplet};

/// The positions in order, of an index function with known numbers.
fn points(lmad: &Lmad) -> Vec<i64> {
    positions(lmad, &[0; 26])
}

type Position = Box<dyn Fn(&[i64]) -> i64>;

/// A naive array view: a shape, and the position of every index vector.
struct View {
    shape: Vec<i64>,
    at: Position,
}

fn list(view: &View) -> Vec<i64> {
    let mut indices = vec![Vec::new()];
    for count in &view.shape {
        indices = indices
            .into_iter()
            .flat_map(|index: Vec<i64>| (0..*count).map(move |i| [index.clone(), vec![i]].concat()))
            .collect();
    }
    indices.iter().map(|i| (view.at)(i)).collect()
}

fn check(lmad: &Lmad, view: View) {
    assert_eq!(points(lmad), list(&view), "{lmad}");
    let shape: Vec<i64> = lmad.shape().iter().map(|s| s.as_constant().expect("a number")).collect();
    assert_eq!(shape, view.shape, "{lmad}");
    assert_eq!(points(&lmad.normalise()), points(lmad), "{lmad} normalised");
    assert_eq!(lmad.len().as_constant(), Some(points(lmad).len() as i64));
    let neighbours = points(lmad).windows(2).all(|w| w[1] == w[0] + 1);
    assert_eq!(lmad.is_contiguous(), neighbours, "{lmad}");
}

fn numbers(values: &[i64]) -> Vec<Size> {
    values.iter().map(|v| Size::constant(*v)).collect()
}

fn shapes() -> Vec<[i64; 3]> {
    (0..64).map(|s| [s / 16, s / 4 % 4, s % 4]).collect()
}

fn packed(shape: [i64; 3]) -> impl Fn(&[i64]) -> i64 {
    move |i| (i[0] * shape[1] + i[1]) * shape[2] + i[2]
}

#[test]
fn every_operation_on_small_shapes() {
    for shape in shapes() {
        let whole = Lmad::row_major(&numbers(&shape));
        let at = packed(shape);
        check(&whole, View { shape: shape.to_vec(), at: Box::new(packed(shape)) });
        let order = [2, 0, 1];
        let turned = whole.permute(&order).unwrap();
        check(
            &turned,
            View { shape: order.map(|d| shape[d]).to_vec(), at: Box::new(move |i| at(&[i[1], i[2], i[0]])) },
        );
        for dim in 0..3 {
            let at = packed(shape);
            let last = shape[dim] - 1;
            let reversed = move |i: &[i64]| {
                let mut i = i.to_vec();
                i[dim] = last - i[dim];
                at(&i)
            };
            check(&whole.reverse(dim).unwrap(), View { shape: shape.to_vec(), at: Box::new(reversed) });
            assert_eq!(whole.reverse(dim).unwrap().reverse(dim).unwrap(), whole);
            for index in 0..shape[dim] {
                let at = packed(shape);
                let fixed = move |i: &[i64]| {
                    let mut i = i.to_vec();
                    i.insert(dim, index);
                    at(&i)
                };
                let mut rest = shape.to_vec();
                rest.remove(dim);
                check(&whole.fix(dim, &Size::constant(index)).unwrap(), View { shape: rest, at: Box::new(fixed) });
            }
        }
        for dim in 0..2 {
            assert_eq!(points(&whole.join(dim).unwrap()), points(&whole));
        }
    }
}

#[test]
fn every_slice_of_a_matrix() {
    let mut slices = Vec::new();
    for (start, count, step) in (0..64).map(|s| (s / 16, s / 4 % 4, s % 4 - 2)) {
        if (0..count).all(|i| (0..4).contains(&(start + i * step))) {
            slices.push((start, count, step));
        }
    }
    let triplet = |(start, count, step): (i64, i64, i64)| Triplet {
        start: Size::constant(start),
        count: Size::constant(count),
        step: Size::constant(step),
    };
    for outer in &slices {
        for inner in &slices {
            let (a, b) = (*outer, *inner);
            for transposed in [false, true] {
                let whole = Lmad::row_major(&numbers(&[4, 4])).shift(&Size::constant(7));
                let whole = if transposed { whole.transpose(0, 1).unwrap() } else { whole };
                let at = move |i: &[i64]| {
                    let (r, c) = (a.0 + i[0] * a.2, b.0 + i[1] * b.2);
                    if transposed { 7 + c * 4 + r } else { 7 + r * 4 + c }
                };
                let sliced = whole.slice(&[triplet(a), triplet(b)]).unwrap();
                check(&sliced, View { shape: vec![a.1, b.1], at: Box::new(at) });
            }
        }
    }
}

#[test]
fn split_undoes_join() {
    let (n, m) = (parse("n").size(), parse("m").size());
    let matrix = Lmad::row_major(&[n.clone(), m.clone()]);
    let flat = matrix.join(0).unwrap();
    assert_eq!(flat, Lmad::row_major(&[&n * &m]));
    assert_eq!(flat.split(0, &n, &m), Some(matrix.clone()));
    assert_eq!(flat.split(0, &n, &n), None);
    assert_eq!(matrix.transpose(0, 1).unwrap().join(0), None);
}

#[test]
fn symbolic_forms() {
    let (n, m, i) = (parse("n").size(), parse("m").size(), parse("i").size());
    let show = |lmad: &Lmad| lmad.display(&|v: SizeVar| char::from(b'a' + v.0 as u8).to_string());
    let matrix = Lmad::row_major(&[n.clone(), m.clone()]);
    assert_eq!(show(&matrix), "0 + {n : m} {m : 1}");
    assert_eq!(show(&matrix.transpose(0, 1).unwrap()), "0 + {m : 1} {n : m}");
    assert_eq!(show(&matrix.fix(0, &i).unwrap()), "i*m + {m : 1}");
    assert_eq!(show(&matrix.reverse(0).unwrap()), "m*n - m + {n : -m} {m : 1}");
    assert_eq!(matrix.apply(&[i.clone(), i.clone()]), Some(&i * &m + &i));
    assert!(matrix.is_contiguous());
    assert!(matrix.fix(0, &i).unwrap().is_contiguous());
    assert!(!matrix.fix(1, &i).unwrap().is_contiguous());
    let rows = matrix.slice(&[Triplet::range(i.clone(), n.clone()), Triplet::whole(m.clone())]).unwrap();
    assert!(rows.is_contiguous());
    let columns = matrix.slice(&[Triplet::whole(n.clone()), Triplet::range(Size::zero(), i.clone())]).unwrap();
    assert!(!columns.is_contiguous());
    let one = Lmad { offset: i.clone(), dims: vec![Dim { count: Size::one(), stride: m.clone() }] };
    assert!(one.is_contiguous() && one.normalise().rank() == 0);
    assert_eq!(matrix.substitute(SizeVar(12), &Size::constant(0)).normalise().len(), Size::zero());
}

#[test]
fn ranks_that_do_not_fit() {
    let vector = Lmad::row_major(&numbers(&[3]));
    assert_eq!(vector.apply(&[]), None);
    assert_eq!(vector.slice(&[]), None);
    assert_eq!(vector.fix(1, &Size::zero()), None);
    assert_eq!(vector.permute(&[1]), None);
    assert_eq!(vector.transpose(0, 1), None);
    assert_eq!(vector.reverse(1), None);
    assert_eq!(vector.join(0), None);
}

/// All index functions with counts up to three, strides up to four either way, and at most two dimensions; some with three.
fn small() -> Vec<Lmad> {
    let dims: Vec<(i64, i64)> = (0..4).flat_map(|count| (-4..=4).map(move |stride| (count, stride))).collect();
    let mut all = vec![vec![]];
    all.extend(dims.iter().map(|a| vec![*a]));
    all.extend(dims.iter().flat_map(|a| dims.iter().map(|b| vec![*a, *b])));
    let mut dice = Dice(5);
    let mut pick = || dims[dice.below(36) as usize];
    all.extend((0..2000).map(|_| vec![pick(), pick(), pick()]));
    let size = Size::constant;
    let lmad = |(at, dims): (usize, &Vec<(i64, i64)>)| {
        Lmad::new(size(at as i64 % 7 - 3), dims.iter().map(|(c, s)| (size(*c), size(*s))))
    };
    all.iter().enumerate().map(lmad).collect()
}

#[test]
fn forms_of_small_ones() {
    for lmad in small() {
        let list = points(&lmad);
        assert_eq!(points(&lmad.normalise()), list, "{lmad}");
        assert_eq!(lmad.normalise().normalise(), lmad.normalise(), "{lmad}");
        assert_eq!(lmad.len().as_constant(), Some(list.len() as i64));
        if !list.is_empty() {
            assert_eq!(lmad.last().as_constant(), list.last().copied(), "{lmad}");
        }
        let neighbours = list.windows(2).all(|w| w[1] == w[0] + 1);
        assert!(!lmad.is_contiguous() || neighbours, "{lmad}");
        assert!(lmad.is_contiguous() || !neighbours || list.len() < 2, "{lmad}");
        for dim in 0..lmad.rank().saturating_sub(1) {
            if let Some(joined) = lmad.join(dim) {
                assert_eq!(points(&joined), list, "{lmad}");
                let (outer, inner) = (&lmad.dims[dim].count, &lmad.dims[dim + 1].count);
                assert_eq!(joined.split(dim, outer, inner), Some(lmad.clone()), "{lmad}");
            }
        }
        // Turned around, the list of one dimension is backwards; twice is nothing.
        if let Some(turned) = lmad.reverse(0) {
            assert_eq!(turned.reverse(0), Some(lmad.clone()));
            if lmad.rank() == 1 {
                assert!(points(&turned).iter().rev().eq(&list), "{lmad}");
            }
        }
        let set = lmad.as_set(&Assumptions::new()).expect("signs of numbers are known");
        let positions: BTreeSet<i64> = points(&set).into_iter().collect();
        assert_eq!(positions, list.iter().copied().collect(), "{lmad} as {set}");
        assert!(set.dims.iter().all(|d| d.stride.as_constant() >= Some(0)), "{lmad} as {set}");
        assert!(set.dims.windows(2).all(|d| d[0].stride.as_constant() >= d[1].stride.as_constant()), "{set}");
    }
}

/// The only candidate of this shape: its offset and strides are differences of listed positions.
fn candidate(list: &[i64], shape: &[i64]) -> Lmad {
    let mut step = shape.iter().product::<i64>();
    let mut dims = Vec::new();
    for count in shape {
        step = if *count == 0 { 0 } else { step / count };
        let stride = if *count > 1 { list[step as usize] - list[0] } else { 0 };
        dims.push((Size::constant(*count), Size::constant(stride)));
    }
    Lmad::new(Size::constant(list.first().copied().unwrap_or(0)), dims)
}

#[test]
fn reshapes_of_small_ones() {
    let mut shapes = vec![vec![]];
    for count in 0..10 {
        shapes.push(vec![count]);
        shapes.extend((0..10).map(|inner| vec![count, inner]));
    }
    shapes.extend((0..64).map(|s| vec![s / 16, s / 4 % 4, s % 4]));
    let mut closed = 0;
    for lmad in small().into_iter().step_by(3) {
        let list = points(&lmad);
        for shape in shapes.iter().filter(|s| s.iter().product::<i64>() == list.len() as i64) {
            let reshaped = lmad.reshape(&numbers(shape));
            let exists = list.is_empty() || points(&candidate(&list, shape)) == list;
            assert_eq!(reshaped.is_some(), exists, "{lmad} as {shape:?}");
            if let Some(reshaped) = reshaped {
                assert_eq!(points(&reshaped), list, "{lmad} as {shape:?}");
                assert_eq!(reshaped.shape(), numbers(shape));
                closed += 1;
            }
        }
        assert_eq!(lmad.reshape(&numbers(&[list.len() as i64 + 1])), None);
    }
    assert!(closed > 1000, "{closed}");
}

#[test]
fn slices_by_small_ones() {
    let mut dice = Dice(6);
    let all = small();
    let mut pick = || all[dice.below(all.len() as u64) as usize].clone();
    for _ in 0..3000 {
        let (base, a, b) = (pick(), pick(), pick());
        let cut: Vec<Lmad> = [a, b, base.clone()].into_iter().take(base.rank()).collect();
        let sliced = base.slice_each(&cut).expect("one slice for every dimension");
        // Every index of the slices, in order, and where the base puts it.
        let mut expected = vec![base.offset.as_constant().expect("a number")];
        for (dim, slice) in base.dims.iter().zip(&cut) {
            let stride = dim.stride.as_constant().expect("a number");
            let at = points(slice);
            expected = expected.iter().flat_map(|e| at.iter().map(move |i| e + i * stride)).collect();
        }
        assert_eq!(points(&sliced), expected, "{base}");
        if base.rank() == 1 {
            assert_eq!(base.slice_by(&cut[0]), Some(sliced));
        }
    }
}

#[test]
fn views_of_matrices() {
    let matrix = Lmad::row_major(&numbers(&[20, 10])).shift(&Size::constant(10));
    let view = Lmad::row_major(&numbers(&[50, 4]));
    let expected =
        Lmad::new(Size::constant(10), [(Size::constant(50), Size::constant(4)), (Size::constant(4), Size::one())]);
    assert_eq!(matrix.view(&view), Some(expected));
    assert_eq!(matrix.transpose(0, 1).and_then(|m| m.view(&view)), None);
    let columns = Lmad::column_major(&numbers(&[2, 3, 4]));
    assert_eq!(columns.permute(&[2, 1, 0]), Some(Lmad::row_major(&numbers(&[4, 3, 2]))));
}

#[test]
fn loops_become_dimensions() {
    let i = SizeVar(8);
    for lmad in small().into_iter().step_by(7) {
        for (stride, lower, count) in (0..60).map(|s| (s % 5 - 2, s / 5 % 3 - 1, s / 15)) {
            let round = lmad.shift(&(Size::var(i) * stride));
            let expanded = round.expand_from(i, &Size::constant(lower), &Size::constant(count)).expect("linear");
            // From the lower end to one before lower + count.
            let rounds = (lower..lower + count).flat_map(|at| points(&round.substitute(i, &Size::constant(at))));
            assert_eq!(points(&expanded), rounds.collect::<Vec<_>>(), "{round}");
            if lower == 0 {
                let at = Size::constant(1);
                assert_eq!(
                    round.expand(i, &Size::constant(count)).and_then(|e| e.fix(0, &at)),
                    Some(round.substitute(i, &at))
                );
            }
        }
    }
    let given = given("");
    let expand = |text: &str| given.lmad(text).expand(i, &parse("n").size());
    assert_eq!(expand("i*m + k + {m : 1}"), Some(given.lmad("k + {n : m} {m : 1}")));
    assert_eq!(expand("k + {m : 1}"), Some(given.lmad("k + {n : 0} {m : 1}")));
    assert_eq!(expand("i*(m*m + m)/2 + {m : 1}"), Some(given.lmad("0 + {n : (m*m + m)/2} {m : 1}")));
    for none in
        ["i*i + {m : 1}", "0 + {i : 1}", "0 + {m : i}", "i/2 + {m : 1}", "min(i, m) + {m : 1}", "f(i) + {m : 1}"]
    {
        assert_eq!(expand(none), None, "{none}");
    }
}

#[test]
fn symbolic_reshapes() {
    let check = |from: &str, shape: &[&str], expected: Option<&str>| {
        let given = given("");
        let shape: Vec<Size> = shape.iter().map(|s| parse(s).size()).collect();
        let reshaped = given.lmad(from).reshape(&shape);
        assert_eq!(reshaped, expected.map(|e| given.lmad(e)), "{from}");
        for env in given.models("nmk", 3) {
            if let Some(reshaped) = &reshaped {
                assert_eq!(positions(reshaped, &env), positions(&given.lmad(from), &env), "{from} {env:?}");
            }
        }
    };
    check("o + {n : m} {m : 1}", &["n*m"], Some("o + {n*m : 1}"));
    check("o + {n*m : 1}", &["n", "m"], Some("o + {n : m} {m : 1}"));
    check("o + {n*m : k}", &["n", "1", "m"], Some("o + {n : k*m} {1 : k*m} {m : k}"));
    check("o + {n : 2*m} {m : 1}", &["n", "m", "1"], Some("o + {n : 2*m} {m : 1} {1 : 1}"));
    check("o + {n : 2*m} {m : 1}", &["n*m"], None);
    check("o + {n : 2*m} {m*k : 1}", &["n", "k", "m"], Some("o + {n : 2*m} {k : m} {m : 1}"));
    check("o + {m : 1} {n : m}", &["n", "m"], None);
    check("o + {n*n - 1 : 3}", &["n - 1", "n + 1"], Some("o + {n - 1 : 3*n + 3} {n + 1 : 3}"));
    check("o + {n : m*k} {m*k : 1}", &["n*m", "k"], Some("o + {n*m : k} {k : 1}"));
}

#[test]
fn symbolic_sets() {
    let check = |known: &str, from: &str, expected: Option<&str>| {
        let given = given(known);
        let set = given.lmad(from).as_set(&given.known);
        assert_eq!(set, expected.map(|e| given.lmad(e)), "{from}");
        let sorted = |lmad: &Lmad, env: &naive::Env| positions(lmad, env).into_iter().collect::<BTreeSet<i64>>();
        for env in given.models("nmk", 3) {
            if let Some(set) = &set {
                assert_eq!(sorted(set, &env), sorted(&given.lmad(from), &env), "{from} {env:?}");
            }
        }
    };
    // The offset moves to the last element: by (count - 1) * stride.
    check("", "16 + {4 : -1} {8 : 5}", Some("13 + {8 : 5} {4 : 1}"));
    check("", "16 + {4 : -1} {8 : 4}", Some("13 + {32 : 1}"));
    check("", "m + {n : -1}", Some("m - n + 1 + {n : 1}"));
    check("0 <= m", "0 + {m : 1} {n : m}", Some("0 + {n*m : 1}"));
    check("1 <= n; 3 <= m", "0 + {n : 2} {m : 1}", Some("0 + {2*n + m - 2 : 1}"));
    check("3 <= m", "0 + {n : 2} {m : 1}", Some("0 + {n : 2} {m : 1}"));
    check("", "0 + {n : m}", None);
    check("1 <= n", "0 + {n : 0} {m : 1}", Some("0 + {m : 1}"));
    check("", "0 + {n : 0} {m : 1}", Some("0 + {m : 1} {n : 0}"));
}
