mod naive;
mod positions;
use naive::Dice;
use positions::given;
#[test]
fn time() {
    let sizes =
        ["0", "1", "2", "3", "n", "m", "b", "n + 1", "m - 1", "n*m", "n*b", "n*b - b", "2*n", "m*b + 1", "min(n, m)"];
    let strides = ["1", "1", "2", "n", "m", "b", "n*m", "m*b", "n*b - b", "-1", "-n", "m + 1", "2*b", "n - m"];
    let facts =
        ["1 <= n", "n <= m", "m <= n", "b <= n", "2 <= b", "n = m*b", "n = m*b + 1", "m < b", "n < m", "1 <= m"];
    let mut dice = Dice(13);
    let mut all = Vec::new();
    for _ in 0..300 {
        let known: Vec<&str> = (0..dice.below(4)).map(|_| facts[dice.below(10) as usize]).collect();
        let given = given(&known.join("; "));
        let mut some = || {
            let mut text = format!("{} + ", sizes[dice.below(15) as usize]);
            for _ in 0..dice.below(4) {
                let (count, stride) = (sizes[dice.below(15) as usize], strides[dice.below(14) as usize]);
                text += &format!("{{{count} : {stride}}} ");
            }
            text
        };
        let (a, b) = (some(), some());
        let (first, second) = (given.lmad(&a), given.lmad(&b));
        let t = std::time::Instant::now();
        let apart = first.disjoint_with_effort(&second, &given.known);
        all.push((t.elapsed(), apart, known, a, b));
    }
    all.sort_by_key(|e| std::cmp::Reverse(e.0));
    println!("total {:?}", all.iter().map(|a| a.0).sum::<std::time::Duration>());
    for e in all.iter().filter(|e| e.1.0.is_yes()).take(12) {
        println!("{e:?}");
    }
    for e in all.iter().take(12) {
        println!("{e:?}");
    }
    println!("{:?}", all[150]);
}
