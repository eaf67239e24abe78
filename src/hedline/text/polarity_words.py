"""Lists of words for polarity_cues.py and meaning.py: cues in a lead, and what stands for them in a headline.

Tokens are in small letters; lists of equivalents hold stems (see `stems.stem`) and tokens alike.
"""

from __future__ import annotations

EMPTY: frozenset[str] = frozenset()


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


# Words that say too little to tell a clause by.
FEW = word_set(
    """a an the this that these those of to in on at by for from with and or as is are was were be been being
    am do does did done have has had having will would shall should can could may might must it its he she
    they we you i him her them us his their our your my there here yet also still even ever again then than
    so such more most very just about into over under after before during between through against within
    among up down out off who whom whose which what when where why how while any some each other another
    both either nor own s t n't not no never only too much many now once back said say says told new get got
    going go because since although though but if unless until however per one mr mrs ms dr all his's"""
)

# Where another clause begins.
CLAUSE_OPENERS = word_set(
    """but because although though while when whereas who which that after before since as if unless until so
    despite following amid where whose"""
)

NEGATIONS = word_set("not n't n’t never cannot hardly barely scarcely nowhere without")

# Nouns through which "no" reaches what follows: "no evidence that …".
CARRIERS = word_set(
    "evid evidenc proof sign indicat plan intent reason chanc hop way need basi immediat doubt confirm word"
)

# Before "if" in the sense of "whether", or where it is no condition.
ASKING = word_set(
    "announc remember on car ask see know wonder decid determin even as find out unclear check tell doubt sur what only"
)
# Determiners and the like before "only" as an adjective.
OWNERS = word_set("the its his her their our my your not an an's was first read view member members")

# Hedges that count only before "to"; those a headline may render as "to": "expected to open" as "to open".
BEFORE_TO = word_set(
    "expected likely planned scheduled slated believed thought appears appear appeared seems seemed said"
)
ARRANGEMENTS = word_set("would expected set likely planned scheduled slated")
# Verbs of saying that do not vouch for what is said, and what follows them as verbs.
ATTRIBUTIONS = word_set(
    "claim claims claimed insists insisted alleges believes believe think thinks unconfirmed prosecutors prosecutor"
)
REPORTED = word_set("that to its the he she they it his her their a an this")
# Denials that are none: "don't miss the sale".
URGES = frozenset((word, verb) for word in ("don't", "don’t") for verb in ("miss", "forget", "worry"))
# What a lifted thing must be for the word to undo it, as stems.
LIFTED = word_set(
    """ban restrict sanct embargo curfew siege blockad emergency order warn lockdown moratorium tariff limit freez
    injunct suspens quarantin alert cap block measur charg advisory immunity requirement"""
)
# Verbs through which a negation reaches what follows: "does not believe that …".
ATTITUDES = word_set("believ think expect prov confirm show suggest mean indicat support find found know see rul")
# After "not" or "hardly": it is the subject that is denied, "not all", "hardly anyone".
QUANTIFIERS = word_set("all every everyone everything everybody any anyone anybody anything many single")
PROMISING = word_set("will would agreed agree agrees can may could promised offered ready willing")
UNIVERSAL = word_set("all every everyone everybody everything everywhere each none nobody nothing no whole entire")
THROUGHOUT = word_set("throughout across entirely otherwise empty deserted")  # before "save for"
SAVERS = word_set("to will would can could may must should and or help helps not who they we you i people")
# Verbs with the particle that makes them a denial.
PARTICLES = {
    verb: word_set(particles)
    for verbs, particles in (
        ("vote votes voted voting", "down against"), ("rule rules ruled ruling", "out"),
        ("call calls called calling", "off"), ("strike strikes struck striking", "down"),
        ("turn turns turned turning", "down"), ("back backs backed backing", "out"),
        ("give gives gave given giving", "up"), ("throw throws threw thrown", "out"),
        ("pull pulls pulled pulling", "out"), ("opt opts opted", "out"), ("stop stops stopped", "short"),
        ("fall falls fell", "short"),
    )
    for verb in verbs.split()
}  # fmt: skip
# What is lost or defeated where that is a denial, and not a match.
DECIDED = word_set("appeal bid motion bill proposal measure plan amendment case challenge battle lawsuit request")
# What undoes a denial: "lifted a ban".
UNDOING = word_set("lift end eas overturn revers scrap drop remov reject oppos repeal relax avoid defy despit")
AUXILIARIES = word_set("is are was were will has have had would did does can could should")
BE = word_set("is are was were be been being get gets got")
# Verbs that are nouns too: after an article they deny something only before "on", "of" or "to".
NOUNS = word_set("ban bans veto block halt stop drop end delay dispute reverse")
HEDGES = word_set(
    """suspected alleged allegedly accused reportedly supposedly purportedly apparently possibly perhaps may
    might could would rumoured rumored feared potentially presumed suspicion seemingly probably presumably"""
)

_ENDS = {"y": ("y", "ies", "ied", "ying"), "e": ("e", "es", "ed", "ing")}


def _forms(verb: str, double: bool = False) -> list[str]:
    """A regular verb's forms; `double`: with its last letter doubled."""
    if verb[-1] in _ENDS and not (verb[-1] == "y" and verb[-2] in "aeou"):
        return [verb[:-1] + ending for ending in _ENDS[verb[-1]]]
    last = verb + verb[-1] if double else verb
    plural = verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s")
    return [verb, plural, last + "ed", last + "ing"]


_TO = frozenset(["to"])
_OBJECT = word_set(
    """a an the its his her their any all plan plans proposal proposals charges case cases lawsuit lawsuits bid
    bids legal criminal efforts talks support claims demand demands calls appeal"""
)


def _table() -> dict[str, frozenset[str]]:
    """Every form of every verb that denies what follows it, to the words that it must stand before (none: any)."""
    table: dict[str, frozenset[str]] = {}
    for verbs, double, before in (
        ("fail refuse decline neglect", False, _TO),
        ("deny reject abandon oppose dismiss avert prevent prohibit forbid cancel suspend postpone", False, EMPTY),
        ("overturn quash reverse repeal dispute disprove rebuff resist avoid renounce delay shelve veto", False, EMPTY),
        ("scrap ban acquit", True, EMPTY),
        ("block halt end", False, _OBJECT),
        ("drop stop", True, _OBJECT),
        ("refrain abstain", False, frozenset(["from"])),
    ):
        for verb in verbs.split():
            table |= dict.fromkeys(_forms(verb, double), before)
    table |= dict.fromkeys(["unable", "failure", "refusal", "reluctant", "unwilling", "unlikely"], _TO)
    table["hold"] = EMPTY  # on hold
    table |= dict.fromkeys(["withdraw", "withdraws", "withdrew", "withdrawn", "withdrawing"], _OBJECT)
    table |= dict.fromkeys(["barred", "barring", "forbade", "forbidden", "denial", "rejection"], EMPTY)
    table |= dict.fromkeys(["cancelled", "cancelling"], EMPTY)
    table |= dict.fromkeys(["cleared", "exonerated", "absolved"], frozenset(["of", "in", "on", "the", "a"]))
    return table


REFUSING: dict[str, frozenset[str]] = _table()

TRIGGERS: frozenset[str] = frozenset(
    [
        *REFUSING,
        *HEDGES,
        *NEGATIONS,
        *word_set("neither none nobody nothing no nor"),
        *word_set(
            "except excluding excepting unless if provided assuming once fewer less until only yet few suspect suspects"
        ),
        *BEFORE_TO - {"said"},
        *ATTRIBUTIONS,
        *PARTICLES,
        *word_set("lost loses lose losing defeated defeats defeat"),
    ]
)

# What may stand in a headline for a cue, tokens and stems: certain words wherever they are, possible ones only where
# the lead does not have them, since a word that it has may belong to something else.
DENIAL = word_set(
    """not n't never no non neither nor none nobody nothing cannot without hardly barely nowhere few deny denial
    reject refus fail scrap veto acquit cancel abandon unabl boycott exonerat absolv unlikely refut unless
    refusal failur unsuccessful"""
)
_POSSIBLE_DENIAL = word_set(
    """declin drop clear halt withdraw ban bar block oppos postpon suspend delay stop  quit skip miss snub
    shun avoid avert prevent rebuff dismiss overturn quash revers repeal disput resist forbid prohibit defy
    lack absent absenc innocent lose los defeat thwart nix ax shelv spik kill ditch dump nil zero
    free  rebut contradict debunk disprov fals unfound stall fall short renounc exclud except despit
    freez nullify void annul invalid strik refrain abstain foil spurn escap surviv safe spar exempt deadlock
    impass discard minus anti flop futil vain unclear unknown mystery doubt disagre unharm unhurt elud evad
    snag setback yet await wait ceas paus restrict limit rar scarc shortag skeptic sceptic reluct wary
    few littl out"""
)
DENYING = DENIAL | _POSSIBLE_DENIAL  # in a lead: what a headline's negation may come from
NEGATIVE_PAIRS = frozenset(
    [
        ("rul", "out"), ("call", "off"), ("back", "out"), ("pull", "out"), ("turn", "down"), ("vot", "down"),
        ("strik", "down"), ("back", "down"), ("hold", "off"), ("put", "off"), ("opt", "out"), ("throw", "out"),
        ("walk", "away"), ("giv", "up"), ("shut", "out"), ("roll", "back"), ("back", "off"), ("shoot", "down"),
        ("knock", "down"), ("toss", "out"), ("bow", "out"), ("drop", "out"),
    ]
)  # fmt: skip

# Negations that a headline may not have when its lead denies nothing.
ADDED = word_set("not n't never no neither nor none nobody nothing cannot without")

_SAID_TO_BE = word_set(
    """suspect suspected suspicion alleg allegedly allegat accus charg reportedly may might could would rumour rumor
    likely feared possibl possible possibly apparent apparently supposedly purportedly perhaps potentially potential
    presum indict trial prob probe investigat investig propos bill maybe probably sue lawsuit unconfirm seemingly
    appear seem"""
)
EQUIVALENTS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "negation": (DENIAL, _POSSIBLE_DENIAL),
    "carrying": (DENIAL, _POSSIBLE_DENIAL),
    "exception": (
        word_set("except exclud but bar save without nearly almost most apart exempt minus virtually"),
        word_set("mostly some spar alone last surviv lone sole only holdout refus oppos not other rest miss few"),
    ),
    "condition": (
        word_set("if unless may might could would should until"),
        word_set(
            """can risk threat threaten fac without when once provid warn condit conditional depend hing loom possibl
            whether fear till before ultimatum deadlin brac potential likely chanc conting await pend during"""
        ),
    ),
    "hedging": (
        _SAID_TO_BE,
        word_set(
            """report can expect believ think fear appear seem plead question fac plan consider mull ey
            urg hint risk threat threaten chanc hop seek aim want if unless poll forecast predict project warn should
            disput deny bid try ponder weigh study suggest signal await complaint pois ready over cas fil allow let
            permit tip"""
        ),
    ),
    "attribution": (
        _SAID_TO_BE
        | word_set(
            """say tell claim believ think insist testify report accord deny cit quot warn argu call blam hoax fals
            : " “ disput theory rumour view see lie fear concern worry"""
        ),
        word_set("question poll survey predict forecast expect project"),
    ),
    "restriction": (
        word_set("only just merely lone sole alone limit restrict few fewer less under below within"),
        word_set("mere half most maximum max cap up no not nearly almost but minimum short minority small"),
    ),
}
EQUIVALENTS |= {
    "report": (
        word_set(
            """report claim rumour rumor speculat alleg allegat suggest deny denial fals untru refut dismiss reject
            disput disprov fake wrong"""
        ),
        word_set("call say fantasy nonsense absurd hoax lie not no never"),
    ),
    "near": (
        word_set("almost nearly about around some close near virtually practically up under approach roughly most"),
        EMPTY,
    ),
}


# Words that turn, weaken or bound what follows them, wherever it is: a headline that takes what follows and passes over
# the word loses it. Lines of: kind | words | what must come next (nothing: anything).
_TURNING = """
negation | not never cannot hardly barely scarcely rarely seldom none nobody neither nor nothing without n't no few |
negation | untrue false bogus wrong wrongly mistakenly nowhere unable lack lacks lacked |
negation | free | of from
negation | far | from
negation | instead short absence | of
negation | rather | than
negation | contrary yet | to
negation | anything | but
negation | ruled | out
negation | least | likely
hedging | suspected alleged allegedly accused reportedly supposedly purportedly apparently feared |
hedging | possibly perhaps may might could presumed potentially seemingly rumoured rumored |
hedging | believed thought appears appear appeared seems seemed likely | to
hedging | suspect suspects suspecting | that the a he she it they
hedging | would-be predicted predicts predicting forecast forecasts forecasting |
attribution | think thinks believe believes thought hope hopes expect expects fear fears guess | that they he she it the
attribution | fears hopes growing concerns worries | that are
report | reports rumours rumors speculation allegations suggestions claims claim rumour rumor | that of it about he
report | report | that
near | almost nearly |
carrying | dropped blocked banned withdrew withdrawn cancelled cancelling |
"""
_UNDONE = """halt suspend cancel abandon postpone shelve veto dismiss overturn quash annul void reverse retract
    revoke withdraw lift reject deny rebuff thwart foil avert"""


def _passed_over() -> dict[str, tuple[str, frozenset[str]]]:
    """Kind by word, with what must come next."""
    table: dict[str, tuple[str, frozenset[str]]] = {}
    for line in _TURNING.strip().splitlines():
        kind, words, after = (part.strip() for part in line.split("|"))
        table |= dict.fromkeys(words.split(), (kind, word_set(after)))
    undone = [form for verb in _UNDONE.split() for form in _forms(verb)] + _forms("scrap", double=True)
    return table | dict.fromkeys(undone, ("carrying", EMPTY))


IRREGULAR = {
    past: verb
    for verb, pasts in (
        line.split(":")
        for line in """win:won|take:took,taken|make:made|leave:left|pay:paid|lose:lost|meet:met|send:sent|hold:held
        build:built|buy:bought|sell:sold|find:found|give:gave,given|go:went,gone|keep:kept|begin:began,begun|rise:rose,risen
        fall:fell,fallen|grow:grew,grown|break:broke,broken|choose:chose,chosen|drive:drove,driven|fly:flew,flown
        hide:hid,hidden|shoot:shot|steal:stole,stolen|write:wrote,written|run:ran|lead:led|fight:fought|catch:caught
        speak:spoke,spoken|seek:sought|strike:struck,stricken|die:dead,death,deaths,dying,died,dies|know:knew,known
        see:saw,seen|come:came|become:became|bring:brought|think:thought|withdraw:withdrew,withdrawn|throw:threw,thrown
        draw:drew,drawn|show:shown|swear:swore,sworn|tell:told|stand:stood|spend:spent|lie:lying,lied|sue:sued,suing
        feel:felt|deal:dealt|teach:taught|feed:fed|flee:fled|wear:wore,worn|sink:sank,sunk|sing:sang,sung|eat:ate,eaten
        drink:drank,drunk|freeze:froze,frozen|forbid:forbade,forbidden|shake:shook,shaken|bear:bore,borne|do:did,done
        say:said|have:had,has|burn:burnt|lend:lent|bind:bound|bite:bit,bitten|blow:blew,blown|ban:banned,banning|beat:beaten
        lay:laid|forget:forgot,forgotten|swim:swam,swum|ring:rang,rung|slide:slid|shrink:shrank,shrunk|override:overrode,overridden|hear:heard"""
        .replace("\n", "|").split("|")
    )
    for past in pasts.strip().split(",")
}  # fmt: skip
IRREGULAR = {past: verb.strip() for past, verb in IRREGULAR.items()}


PASSED_OVER = _passed_over()


# Nouns and verbs under which nothing has happened yet: "efforts to rescue", "considering closing".
HOPED = word_set(
    """effort attempt fail failur refus refusal declin want hop seek threaten chanc potential ability reluctant
    unabl neglect try unwill reluctanc inability hesitat afraid unlikely permiss proposal offer request ask urg
    call pressur tempt"""
)
HOLDING_OFF = word_set(
    """consider avoid stop deny risk resist propos recommend suggest quit delay postpon halt mull weigh without
    contemplat fear discuss oppos"""
)
STANDING_IN = word_set(
    """may might could would plan bid try seek fail refus deny reject effort attempt not no aim eye mull consider
    urg call demand threaten threat vow want hop ask propos accus suspect alleg charg ban stop block prevent
    avoid halt rul forc let help offer push pressur order tell warn fac near clos unabl cannot never n't without
    ? won't can't didn't doesn't isn't"""
)
CARRIED = word_set(
    """statement claim report evidenc complaint alleg allegat accus accusat suggest rumour rumor theory idea fear
    hop proof sign doubt argument rul proposal specul belief promis threat assert notion charg"""
)
CARRYING = word_set(
    """hint suspect deny doubt fear hop predict propos demand insist agre claim alleg believ think suggest warn
    argu assum guess imagin dream pretend worry disput reject dismiss retract refut rebut tak withdraw cast
    quest question ask urg recommend may might could would not no never"""
)
BY_ITSELF = word_set(
    "launch open reopen start begin end resum clos die kill injur wound hurt rank"
)  # a thing may do it as well as somebody
PROMOTING = word_set("for by with against of in to from near at between")  # a noun after one is no subject
STANDING_FOR = word_set(
    """government official president polic authority army ministry minister parliament court troop forc lawmaker
    leader regulator member group thousand hundred dozen million scor team king queen head city stat country
    provinc town villag prosecutor firefighter scientist researcher shar stock mayor governor council region
    number pair lot secretary"""
)
CONNECTED = word_set(
    """if unless had should provided providing when once until depend condit conditional only whether ? ask hing
    till before except demand ultimatum deadlin case event without barring fear risk"""
)
UNTRUE = word_set(
    """untrue false baseless nonsense absurd fabricated unfounded hoax fake invented incorrect denies
    denied deny disputes"""
)
DOUBTING = word_set(
    """untru fals baseless nonsens absurd fabricat unfound fiction hoax fak incorrect deny denial claim claims alleg
    allegation rumour rumor dismiss reject refut disput not no never ? accus say says : "”"""
)
UNVOUCHED = word_set(
    """brother sister mother father wife husband widow son daughter friend friends neighbour neighbours neighbor
    neighbors lawyer lawyers attorney attorneys defence defense tabloid rebels activists activist
    opposition kidnappers militants witness witnesses relatives family rival rivals supporters tweet critics
    insurgents website blog"""
)
ASKED = word_set("""expect ask want urg hop invit beg order tell""")
# Where a clause ends; before the month of May; after a denial that turns nothing; subjects that need their verb.
BORDERS = word_set(
    """and or but then after before when while as because who which where amid despite following if since"""
)
IN = word_set("in on of since by until last next early late this from mid")
NOT_TURNED = word_set(
    "further only just least long merely surprisingly doubt matter wonder stranger shortage . more other secret"
)
NOBODY = word_set("no none neither nobody not few nothing hardly everyone everybody all every only less fewer")

MONTHS = word_set(
    """january february march april june july august september october november december today tomorrow monday tuesday
    wednesday thursday friday saturday sunday"""
)

# For clauses.py: where clauses begin, numbers and what bounds them, who may do a thing.
OPENERS = word_set(
    "because while when who which that if unless although though until whose where whereas after before so"
)
CUT = word_set("but because unless if provided while whose although")
PRONOUNS = word_set("he she it they")
BEFORE_NOR = word_set("neither not no never none without cannot don't doesn't didn't won't isn't")
INSERTED = word_set("who which whose")
FINITE = word_set(
    "will would has have had was were rose fell began went gave took wrote grew knew saw came became drew"
)
CONTRAST = word_set("but ; because although though while whereas")
CONDITIONS = word_set("provided unless if until because")
SAYS = word_set("say says said")
PREPOSITIONS = word_set("of at from with into for in near mount")
NUMBERS = word_set("two three four five six seven eight nine ten eleven twelve dozen half twenty thirty forty fifty")
RELATING = word_set("who which that whose whom")
TIMES = word_set("after before until since")
NO_DOERS = word_set("murder murders disaster winter weather fever hunger disorder terror error number summer fire")
CALLED = word_set("untru fals baseless nonsens absurd fabricat unfound hoax fak invent incorrect deny not no n't")
DENIALS = word_set("denies denied deny disputes")
SHARES = word_set("fewer less none neither nobody few most half nothing only")
WHOLE = word_set("all every none only half most fewer less few nobody no both")  # a share of a group, or all of it
BEFORE_SHARES = word_set("that but and say says said although though while")
# What hangs on the noun before it; nouns that may be left out before it; prepositions that say where or whose.
HANGING = word_set("of in to from for that by on about with against at near")
SHARED = word_set(
    """sery string wav rang handful majority coupl flock fleet crew gang band spat host set kind typ part rest third
    quarter percent price sal level amount record most some many total fan voter resident study man sens facet
    benefit aspect woman people worker version season episod trailer list review deal expert analyst investor"""
)
COUNTED = NUMBERS | SHARES | word_set("one some many several dozens hundreds thousands millions each both")
COMPARING = word_set("instead than rather")
PLACING = word_set("of in from for by on about with against at near over into under")
# Without one of them a lead has no condition, exception, claim or denial that doubts.py asks for.
DOUBTS = (
    UNTRUE
    | UNVOUCHED
    | word_set(
        """that if unless provided had should were without barring event case except excluding neither need n't have
        don't doesn't didn't nor long apart due planned scheduled expected supposed originally slated"""
    )
)
