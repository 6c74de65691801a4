mod naive;
mod positions;
use positions::given;
#[test]
fn q() {
    let n = "(p*b + 1)";
    for (known, low, high) in [
        ("0 <= k < p; 1 <= b; 2 <= b", "b".into(), "p*b".to_string()),
        ("0 <= k < p; 1 <= b", "b".into(), "p*b".to_string()),
        ("0 <= k < p; 2 <= b", "b".into(), "p*b".to_string()),
        ("1 <= p; 1 <= b", "b".into(), "p*b".to_string()),
        ("0 <= k < p; 1 <= b", "1".into(), "p*b".to_string()),
        ("c <= p; 1 <= c; 1 <= b; 3 <= c", format!("{n}*b + b + 1"), format!("2*({n}*b - b)")),
        ("c <= p; 1 <= c; 1 <= b", "1".into(), format!("{n}*b - b + {n} + 1 - {n}*b")),
        ("c <= p; 1 <= c; 1 <= b; 2 <= c", "2*b + 1".into(), format!("{n}")),
        ("c <= p; 1 <= c; 1 <= b", "b".into(), format!("{n}")),
        ("p*b <= n; 0 <= k < p; 1 <= b", "b".into(), "n".to_string()),
    ] {
        let given = given(known);
        let size = |t: &str| given.lmad(t).offset;
        let t = std::time::Instant::now();
        let a = given.known.prove_le(&size(&low), &size(&high));
        println!("{known}: {low} <= {high}  {a:?} {:?}", t.elapsed());
    }
}
