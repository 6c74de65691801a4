//! Index functions against explicit lists of positions, on all small shapes, empty ones included.

mod naive;

use naive::parse;
use terrace_algebra::{Dim, Lmad, Size, SizeVar, Triplet};

/// The positions in order, and the shape, of an index function with known numbers.
fn points(lmad: &Lmad) -> Vec<i64> {
    let known = |size: &Size| size.as_constant().expect("a number");
    let mut all = vec![known(&lmad.offset)];
    for dim in &lmad.dims {
        let (count, stride) = (known(&dim.count), known(&dim.stride));
        all = all.iter().flat_map(|at| (0..count).map(move |i| at + i * stride)).collect();
    }
    all
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
