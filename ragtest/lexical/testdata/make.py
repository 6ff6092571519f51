"""Writes originals.json and stems.json: what the Python originals make of texts.

Python 3.11 with rapidfuzz 3.14.6, sacrebleu 2.6.0, rouge_score 0.1.2 and nltk 3.10.4:

    python make.py

It stems the words that stems.json has, and made-up ones.
"""

import json
import random
from importlib.metadata import version

from nltk.stem.porter import PorterStemmer
from rapidfuzz.distance import Hamming, Jaro, JaroWinkler, Levenshtein
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import corpus_bleu, corpus_chrf

BLEU = [
    {},
    {"lowercase": True},
    {"tokenize": "char"},
    {"tokenize": "none"},
    {"use_effective_order": True},
    {"smooth_method": "floor"},
    {"smooth_method": "add-k"},
    {"smooth_method": "none"},
    {"smooth_method": "floor", "smooth_value": 0.5},
    {"smooth_method": "add-k", "smooth_value": 0.5},
    {"tokenize": "char", "lowercase": True, "use_effective_order": True, "smooth_method": "floor"},
    {"tokenize": "none", "lowercase": True, "use_effective_order": True, "smooth_method": "add-k"},
]
CHRF = [
    {},
    {"word_order": 2},
    {"beta": 1, "char_order": 3},
    {"remove_whitespace": False},
    {"eps_smoothing": True},
    {"word_order": 2, "eps_smoothing": True, "remove_whitespace": False},
]
rouge = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)


def scored(answer, reference):
    row = {"answer": answer, "reference": reference}
    row["levenshtein"] = [Levenshtein.distance(answer, reference), Levenshtein.normalized_similarity(answer, reference)]
    row["hamming"] = [Hamming.distance(answer, reference), Hamming.normalized_similarity(answer, reference)]
    row["jaro"] = 1 - Jaro.normalized_distance(answer, reference)
    row["jaro_winkler"] = 1 - JaroWinkler.normalized_distance(answer, reference)
    row["bleu"] = []
    for options in BLEU:
        s = corpus_bleu([answer], [[reference]], **options)
        row["bleu"].append([s.score / 100, s.bp, s.sys_len, s.ref_len, *([] if "smooth_method" in options else s.counts + s.totals)])
    row["chrf"] = [corpus_chrf([answer], [[reference]], **options).score / 100 for options in CHRF]
    row["rouge"] = [list(s) for s in rouge.score(reference, answer).values()]
    return row


SPACES = [" "] * 12 + ["  ", "\t", "\n", "\r\n", "\x1c", "\x1f", "\x85", "\xa0", "\u2009", "\u3000", "\u200b", "-\n"]
WORDS = {
    "english": """The the library Libraries opened opens opening at on Sunday closed is are was relational relations generalization
        national nationally happily flying flies agreed a I it its answer answers question running runner of in and hopefulness
        internationalization traditional""".split(),
    "marks": """3.14 1,000 .5 5. 2-3 well-known don't 'quoted' "said" (in) [1] {x} a/b a.b,c e.g. U.S. $5 50% #1 &amp; &quot;x&quot; &lt;b&gt;
        &amp;lt; <skipped> x<skipped>y ... -- - -5 3-4-5 1.2.3 1,2,3. A,b ~ ` ^ | \\ *bold* _u_ : ; ! ? ?! @home 10:30 “curly” ‘so’ „low‟ ¿Qué?
        ¡ … – — « » . , .. ,. 7. ,7 7,a a,7 x-5 5-x""".split(),
    "accents": "Größe größe GRÖSSE café cafe\u0301 naïve nai\u0308ve Ångström A\u030angstro\u0308m ŁÓDŹ łódź fiancée Straße œuvre ﬁne ﬁn ñandú n\u0303".split(),
    "turkish": "İstanbul istanbul i̇stanbul ISTANBUL Isparta ısparta DİYARBAKIR Diyarbakır İ I ı i İİ K K Å".split(),
    "greek": "ΟΔΥΣΣΕΥΣ Οδυσσεύς ὈΔΥΣΣΕΎΣ ΣΑΣ σας Σ ΣΣ ΑΣ. ΑΣ'Α Α\u0301Σ ΑΣ\u0301 ΑΣ\u00adΒ ΑΣ’ ʰΣ ΑΣʰ 3Σ Σ3 ǅΣ λόγος ΛΌΓΟΣ".split(),
    "cjk": "图书馆 星期日 开放 関門 図書館は 日曜日に 閉まっています。 도서관은 일요일에 닫습니다 、 。 한국어 の 𠮷野家 カタカナ ｶﾀｶﾅ １２３ ＡＢＣ".split(),
    "arabic": "المكتبة مغلقة يوم الأحد اَلْعَرَبِيَّةُ العربية كِتَابٌ كتاب ، ؟ ١٢٣ ـــ لله".split(),
    "hebrew": "הספרייה סגורה ביום ראשון שָׁלוֹם שלום עִבְרִית צה\"ל ׳ ״ אב".split(),
    "thai": "ห้องสมุด ปิด วันอาทิตย์ น้ำ ภาษาไทย ๑๒๓ กำ".split(),
    "devanagari": "पुस्तकालय रविवार को बंद है। क्षत्रिय नमस्ते १२३ ज़ ज\u093c".split(),
    "emoji": "👍 👍🏽 👨‍👩‍👧‍👦 🇩🇪 🇩🇪🇫🇷 ❤️ ❤ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 😀😀 ok👍 👩🏿‍🚀".split(),
}
EVERYTHING = [w for words in WORDS.values() for w in words]


def text(r, words, n):
    parts = []
    for i in range(n):
        if i:
            parts.append(r.choice(SPACES))
        parts.append(r.choice(words))
    return "".join(parts)


def edited(r, s, edits, alphabet):
    s = list(s)
    for _ in range(edits):
        i = r.randrange(len(s) + 1)
        what = r.randrange(4)
        if what == 0:
            s.insert(i, r.choice(alphabet))
        elif i < len(s) and what == 1:
            del s[i]
        elif i < len(s) and what == 2:
            s[i] = r.choice(alphabet)
        elif i + 1 < len(s):
            s[i], s[i + 1] = s[i + 1], s[i]
    return "".join(s)


def shuffled(r, s):
    words = s.split(" ")
    r.shuffle(words)
    return " ".join(words)


def pairs():
    r = random.Random(20)
    few = ["", " ", "\u3000\x1c\n", "a", "ab", "b", ".", "the", "The the", "İ", "Σ", "图", "e\u0301", "é", "👍🏽", "a b c", "a b c d", "a-\nb", "<skipped>", "&amp;amp;"]
    for a in few:
        yield a, a
    for a, b in zip(few, few[1:] + few[:1]):
        yield a, b
    for n in [1, 2, 3, 5, 8, 13]:
        for script, words in WORDS.items():
            a = text(r, words, n)
            yield a, a
            yield a, text(r, words, n)
            yield edited(r, a, 2, a), a
            yield a, shuffled(r, a) + r.choice(["", " ", "\n", "."])
            yield a.upper(), a.lower()
    for _ in range(60):
        a = text(r, EVERYTHING, r.randrange(1, 14))
        yield a, r.choice([text(r, EVERYTHING, r.randrange(1, 14)), edited(r, a, r.randrange(1, 9), a), shuffled(r, a)])
    for _ in range(60):
        a, b = (text(r, WORDS["english"] + WORDS["marks"], r.randrange(2, 25)) for _ in "ab")
        yield r.choice([(a, b), (a, a + " " + b), (a + b, b), (shuffled(r, a), a)])
    for alphabet in ["a", "ab", "abcd ", "abcdefghijklmnopqrstuvwxyz  ,.", "图书馆星期日", "aé\u0301👍\u200d ", "".join(map(chr, range(0x4E00, 0x4E80)))]:
        for n in [63, 64, 65, 127, 128, 129] + ([1000] if alphabet in ("ab", "abcdefghijklmnopqrstuvwxyz  ,.") else [193]):
            a = "".join(r.choices(alphabet, k=n))
            yield a, edited(r, a, r.randrange(1, n // 4), alphabet)
            yield "".join(r.choices(alphabet, k=r.choice([n, n - 1, n + 1, n // 2]))), a


# Endings that Porter's rules know, for made-up words.
ENDINGS = """s es ies sses ss ed eed ied ing y ational tional enci anci izer bli abli alli entli eli ousli ization ation ator alism iveness
    fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion sion
    tion ou ism ate iti ous ive ize e ll l ality ally ably fully logy ying yed""".split()
STEMS = "b ab bat tr tree by y yy oy sky syzyg hop fall fil crea gener abil relat control conflat troubl siz e o eye toy rai qu geo q7 7 x1 al".split()


def words():
    r = random.Random(80)
    yield from STEMS
    for s in STEMS:
        for e in ENDINGS:
            yield s + e
    for _ in range(1500):
        yield r.choice(STEMS) + "".join(r.choices(ENDINGS, k=r.choice([2, 2, 3])))


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main():
    rows = [line(scored(a, b)) for a, b in dict.fromkeys(pairs())]
    versions = {p: version(p) for p in ["rapidfuzz", "sacrebleu", "rouge_score", "nltk"]}
    with open("originals.json", "w", encoding="utf-8", newline="\n") as f:
        f.write('{"versions":%s,\n"bleu":%s,\n"chrf":%s,\n"pairs":[\n' % (line(versions), line(BLEU), line(CHRF)))
        f.write(",\n".join(rows) + "\n]}\n")
    stem = PorterStemmer().stem
    with open("stems.json", encoding="utf-8") as f:
        kept = [w for w, _ in json.load(f)]
    table = [line([w, stem(w)]) for w in sorted({*words(), *kept})]
    with open("stems.json", "w", encoding="utf-8", newline="\n") as f:
        f.write("[\n" + ",\n".join(table) + "\n]\n")
    print(len(rows), "pairs,", len(table), "stems")


main()
