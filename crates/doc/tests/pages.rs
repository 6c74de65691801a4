//! Small pages: what becomes of every construct, and what is said about mistakes.

use terrace_doc::{Asset, Page, build, codes_page, messages, module_page, tags};

fn page(source: &str, text: &str) -> Page {
    let path = source.trim_end_matches(".md").to_string();
    Page { source: source.into(), path, section: "Pages".into(), text: text.into(), origin: None }
}

fn live(command: &str) -> Result<String, String> {
    if command == "terrace ir x.tce" { Ok("entry <x>\n".into()) } else { Err(format!("`{command}` cannot be live")) }
}

/// The text between the tags `main` of a page.
fn body(text: &str) -> String {
    let other = page("b/other.md", "# Other\n\n## Second part\n\n## T0117\n");
    let files = build("Site", &[page("a/page.md", text), other], &[], &live).expect("the page is right");
    let (_, html) = files.files.iter().find(|(path, _)| path == "a/page.html").expect("the page is there");
    tags(html).expect("the page is whole");
    let (_, rest) = html.split_once("<main>\n").expect("a main part");
    rest.split_once("<p class=\"steps\">").expect("its end").0.to_string()
}

fn problems(pages: &[Page]) -> Vec<String> {
    let asset = Asset { source: "a/data.csv".into(), path: "a/data.csv".into() };
    build("Site", pages, &[asset], &live).expect_err("something is wrong").iter().map(ToString::to_string).collect()
}

#[test]
fn blocks_and_lines() {
    let check = |text: &str, expected: &str| assert_eq!(body(text), expected, "{text}");
    check("# A `b`\n", "<h1 id=\"a-b\">A <code>b</code></h1>\n");
    check("# A\n\n## A\n", "<h1 id=\"a\">A</h1>\n<h2 id=\"a-1\">A</h2>\n");
    check(
        "one\ntwo *three* **four** a * b < c\n",
        "<p>one two <em>three</em> <strong>four</strong> a * b &lt; c</p>\n",
    );
    check("![a `b`](https://x/y.svg)! [\n", "<p><img src=\"https://x/y.svg\" alt=\"a b\"/>! [</p>\n");
    check("`a*b*` \\*c\\* ``d`e``\n", "<p><code>a*b*</code> *c* <code>d`e</code></p>\n");
    check("`T0117` `T0118`\n", "<p><a href=\"../b/other.html#t0117\"><code>T0117</code></a> <code>T0118</code></p>\n");
    check("[`T0117`](#t)\n# T\n", "<p><a href=\"#t\"><code>T0117</code></a></p>\n<h1 id=\"t\">T</h1>\n");
    check("- a\n  b\n- c\n  - d\n", "<ul>\n<li>a b</li>\n<li>c<ul>\n<li>d</li>\n</ul>\n</li>\n</ul>\n");
    check("1. a\n2. b\n\nc\n", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n<p>c</p>\n");
    check(
        "| a | b |\n| --- | --- |\n| `x \\| y` | z |\n",
        "<div class=\"table\"><table>\n<thead><tr><th>a</th><th>b</th></tr></thead>\n<tbody>\n\
         <tr><td><code>x | y</code></td><td>z</td></tr>\n</tbody></table></div>\n",
    );
    check(
        "[x](../b/other.md) [y](https://a.b/?c&d)\n",
        "<p><a href=\"../b/other.html\">x</a> <a href=\"https://a.b/?c&amp;d\">y</a></p>\n",
    );
    check(
        "# T\n\n[x](../b/other.md#second-part) [y](#t)\n",
        "<h1 id=\"t\">T</h1>\n<p><a href=\"../b/other.html#second-part\">x</a> <a href=\"#t\">y</a></p>\n",
    );
}

#[test]
fn code() {
    let check = |text: &str, expected: &str| assert_eq!(body(text), format!("{expected}</code></pre>\n"), "{text}");
    check(
        "```terrace\nlet x: f64 = 2 -- \"two\"\n```\n",
        "<pre class=\"terrace\"><code><span class=\"k\">let</span> x: <span class=\"t\">f64</span> = <span class=\"n\">2</span> \
         <span class=\"c\">-- &quot;two&quot;</span>\n",
    );
    check(
        "```terrace file=a.tce\n\"a<\"\n```\n",
        "<p class=\"file\">a.tce</p>\n<pre class=\"terrace\"><code><span class=\"s\">&quot;a&lt;&quot;</span>\n",
    );
    check("```terrace error T0001\n# § x\n```\n", "<pre class=\"terrace\"><code># § x\n");
    check("```\na *b* <c>\n```\n", "<pre class=\"plain\"><code>a *b* &lt;c&gt;\n");
    let prompt = "<span class=\"c\">$</span> <b>terrace ir x.tce</b>\n";
    check(
        "```live\n$ terrace ir x.tce\n```\n",
        &format!("<pre class=\"console live\"><code>{prompt}entry &lt;x&gt;\n"),
    );
}

#[test]
fn mistakes_have_places() {
    let check = |text: &str, expected: &str| assert_eq!(problems(&[page("a/page.md", text)]), [expected], "{text}");
    check("x\n\n[y](z.md)\n", "a/page.md:3: the link to `z.md` leads nowhere: `a/z.md` is no page");
    check("# T\n\n[y](#u)\n", "a/page.md:3: the link to `#u` leads nowhere: `a/page.md` has no heading `#u`");
    check(
        "[data](data.csv) [y](../data.csv)\n",
        "a/page.md:1: the link to `../data.csv` leads nowhere: `data.csv` is no page",
    );
    check("```live\n$ ls\n```\n", "a/page.md:2: `ls` cannot be live");
    check("```live\nls\n```\n", "a/page.md:2: a line of a `live` block is a command behind `$ `");
    check("| a |\n| --- |\n| b | c |\n", "a/page.md:3: this row has 2 cells, and the head of its table has 1");
}

#[test]
fn assets_are_copied_where_a_link_asks_for_them() {
    let asset = |name: &str| Asset { source: format!("a/{name}"), path: format!("files/{name}") };
    let pages = [page("a/page.md", "[data](x.csv)\n")];
    let site = build("Site", &pages, &[asset("x.csv"), asset("y.csv")], &live).expect("the page is right");
    assert_eq!(site.assets, [asset("x.csv")]);
    assert!(site.files.iter().any(|(_, text)| text.contains("<a href=\"../files/x.csv\">data</a>")));
}

#[test]
fn modules_are_their_comments() {
    let text = "-- Squares.\n--\n--   square(2)  is 4\n\nimport \"std/stats\"\n\n--| The square\n--| of `x`, see [here](nowhere.md).\n--|\n--| `m.square(2)` is `4`.\ndef square(x: i64) -> i64 =\n  x * x\n\n\
                def inner(x: i64) -> i64 = x\n\nentry twice(x: i64) -> i64 = 2 * x\n\ntype pair = {a: i64, b: i64}\n\ntest \"t\" = square(2) == 4\n";
    let made = module_page("square", "m/square.tce", "m/square", "Modules", text).expect("a module");
    let wanted = "# square\n\nSquares.\n\n```text\nsquare(2)  is 4\n```\n\n\
         | name | line | what |\n| --- | --- | --- |\n| [square](#square-1) | 11 | The square |\n| [twice](#twice) | 16 |  |\n| [pair](#pair) | 18 |  |\n\
         \n## square\n\n```terrace\ndef square(x: i64) -> i64\n```\n\nThe square of `x`, see [here](nowhere.md).\n\n`m.square(2)` is `4`.\n\n*Line 11 of* `m/square.tce`\n\
         \n## twice\n\n```terrace\nentry twice(x: i64) -> i64\n```\n\n*Line 16 of* `m/square.tce`\n\
         \n## pair\n\n```terrace\ntype pair = {a: i64, b: i64}\n```\n\n*Line 18 of* `m/square.tce`\n";
    assert_eq!(made.text, wanted);
    assert_eq!(
        problems(&[made]),
        ["m/square.tce:8: the link to `nowhere.md` leads nowhere: `m/nowhere.md` is no page"]
    );
    let silent = module_page("s", "s.tce", "s", "Modules", "def f(x: i64) -> i64 = x\n").expect("a module");
    assert!(silent.text.contains("## f"), "without comments, functions are shown");
    assert!(module_page("s", "s.tce", "s", "Modules", "def f(").is_err());
}

#[test]
fn the_index_takes_messages_from_tests() {
    let mut found = std::collections::BTreeMap::new();
    messages("x\n! error[T0001]: bad\n!  --> a:1:1\n!   |\n! 1 | a\n!   = hint: good\nerror[T0001]: b\n", &mut found);
    let codes = [("T0001".to_string(), "One.".to_string()), ("T0002".to_string(), "Two.".to_string())];
    let text = codes_page("# Messages\n", &codes, &found);
    let message = "error[T0001]: bad\n --> a:1:1\n  |\n1 | a\n  = hint: good\n";
    assert_eq!(text, format!("# Messages\n\n## T0001\n\nOne.\n\n```text\n{message}```\n\n## T0002\n\nTwo.\n"));
}

#[test]
fn damaged_pages_are_noticed() {
    let check = |text: &str, expected: &str| assert_eq!(tags(text).expect_err(text), expected);
    check("<p>a <b>c</p>", "`</p>` closes `b`");
    check("<p>a", "`p` is not closed");
    check("<p id=\"x\"/><p id=\"x\"/>", "two things have the id `x` in <p id=\"x\">");
    check("<a href=x>", "an attribute without quotes in <a href=x>");
    check("<p>a & b</p>", "a mark that begins nothing: a & b");
    check("</p>", "`</p>` closes `nothing`");
}
