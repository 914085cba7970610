/** Separates instructions to the agent from facts for callers, so that callers never hear instructions as facts. */

const VERBS =
  "acknowledge|act|address|adjust|admit|advise|answer|apologi[sz]e|ask|assist|assume|avoid|be|begin|check|choose|clarify|close|collect|comply|confirm|connect (?:the|them|callers)|continue|decline|describe|detect|direct|disclose|discuss|do|don't|do not|empathi[sz]e|encourage|end|enquire|ensure|escalate|establish|explain|express|extract|find out|finish|focus|follow|forward|gather|give|go|greet|guide|hand over|handle|help|hide|identify|if unsure|ignore|inform|inquire|introduce|invent|keep (?:it|your|answers|replies|responses|the conversation|sentences)|lead|let|limit|list|listen|log|look up|maintain|make|match|mention|never|note|notify|obtain|offer|paraphrase|pause|play|point|politely|present|pretend|prioriti[sz]e|proceed|promise|pronounce|provide|put|qualify|quote|read|reassure|recommend|record|redirect|refer|refuse|register|reject|remain|remember|remind|repeat|rephrase|reply|request|respond|restate|return to|route|save|say|schedule|screen|set|share|show|skip|sound|speak|spell|start|state|stay|steer|store|suggest|summari[sz]e|switch|take|talk|tell|thank|transfer|treat|try|turn the|understand|use (?!our|the (?:app|entrance|door|lift|code))|verify|wait|warn|welcome|wish|work|write"
const ENGLISH_INSTRUCTION = new RegExp(
  `^(?:(?:always|please|then|also|next|first|second|finally|instead|otherwise|only|just|politely|briefly|and|at the (?:start|end|beginning),?)[, ]{1,3}){0,3}(?:${VERBS})(?![\\p{L}'-])`,
  'iu',
)
const GERMAN_INSTRUCTION =
  /^(?:(?:immer|bitte|dann|danach|zuerst|zum schluss|sonst|nur|und)[, ]{1,3}){0,2}(?:antworte|beantworte|begrüße|begrüß|beende|bestätige|biete|bitte den|bitte die|bleib|bleibe|entschuldige|erfinde|erfrage|erkläre|erwähne|fasse|fass dich|finde heraus|frag|frage|führe|gib|gehe|halte|hilf|hinterlass|höre|informiere|klär|kläre|leite|lies|mach|mache|merke|nenne|nenn|nimm|notiere|nutze|prüfe|rate|rede|reagiere|sag|sage|sammle|schlage|sei|sprich|stelle|stell|suche|übernimm|überprüfe|verabschiede|verbinde|vereinbare|verrate|versprich|vermeide|verwende|verweise|wähle|warte|wechsle|wiederhole|zeige|niemals|nie|du|deine?|(?:antworten|beantworten|begrüßen|beenden|bestätigen|bieten|bleiben|erfinden|erfragen|erklären|fassen|finden|fragen|geben|halten|helfen|leiten|nehmen|nennen|notieren|sagen|sammeln|seien|sprechen|stellen|verabschieden|verbinden|vereinbaren|verraten|versprechen|verwenden|wiederholen) sie)(?!\p{L})/iu
const TO_AGENT =
  /^(?:you(?:'re| are| must| should| shall| will| have to| need to| work| answer| take| book| help| speak| act| cannot see| never| always| only| do not| don't| handle| represent| support)|your (?:job|task|role|goal|name|tone|purpose|mission|answers|replies|responses)|as an? (?:ai|assistant|agent)|sie sind|ihre aufgabe|sie (?:arbeiten|beantworten|nehmen|vereinbaren|helfen|begrüßen))(?!\p{L})/iu
const CONDITION =
  /^(?:only )?(?:if|when|whenever|once|unless|as soon as|in case|for (?:anything|everything) else|wenn|falls|sobald|sofern|ist der|möchte der|für alles andere)(?!\p{L})/iu
/** Facts address the caller; a sentence about "the caller" is an instruction. */
const ABOUT_CALLER =
  /(?<!\p{L})(?:the|a|every|each|this) (?:callers?|users?|customers?|clients?|guests?|patients?|visitors?|person)(?!\p{L})|(?<!\p{L})(?:de[rmns]|die|jede[rmn]?) (?:anrufer(?:in|s)?|kunden?|nutzer|gast|patienten?)(?!\p{L})/iu
const PLAIN_SUBJECT = /^(?:we|our|the|there|all|every|it|they|a|an|wir|unsere?|es|alle|eine?)(?!\p{L})/iu
const INSTRUCTION_HEADING =
  /(?<!\p{L})(?:roles?|tasks?|styles?|rules?|instructions?|guidelines?|tone|persona(?:lity)?|goals?|objectives?|behaviou?r|steps?|procedure|process|script|constraints?|limits?|identity|voice|guardrails?|do(?:'s|s)? and don'?ts?|rolle|aufgaben?|stil|regeln?|anweisungen?|verhalten|ablauf|tonfall|ziele?|persönlichkeit)(?!\p{L})/iu
const HEADING_TO_SKIP = /(?<!\p{L})(?:examples?|beispiele?|internal|confidential|secret|intern|vertraulich)(?!\p{L})/iu

/** Returns whether the lines under a heading are instructions, facts, or ignored. */
export function findSection(heading: string): 'instructions' | 'facts' | 'skip' {
  if (HEADING_TO_SKIP.test(heading)) return 'skip'
  return INSTRUCTION_HEADING.test(heading) ? 'instructions' : 'facts'
}

function startsInstruction(text: string): boolean {
  return ENGLISH_INSTRUCTION.test(text) || GERMAN_INSTRUCTION.test(text) || TO_AGENT.test(text)
}

/** Whether a sentence of a prompt tells the agent what to do or who it is. */
export function isInstruction(sentence: string, section: 'instructions' | 'facts'): boolean {
  const text = sentence.slice(0, 2_000).replaceAll('’', "'")
  if (startsInstruction(text) || ABOUT_CALLER.test(text)) return true
  if (CONDITION.test(text)) {
    const comma = text.indexOf(', ')
    return comma < 0 || startsInstruction(text.slice(comma + 2)) || section === 'instructions'
  }
  return section === 'instructions' && !PLAIN_SUBJECT.test(text)
}

/** Whether a label starts an instruction: "Tone: friendly", "If they ask: say no". */
export function isInstructionLabel(label: string): boolean {
  // Labels such as "Address" and "Contact" are nouns, not verbs.
  const isVerb = label.split(' ').length > 2 || /^(?:never|always|do not|don't|nie|niemals|immer)\b/i.test(label)
  return CONDITION.test(label) || findSection(label) === 'instructions' || (isVerb && startsInstruction(label))
}

const PROHIBITION =
  /(?<!\p{L})(?:never|do not|don't|must not|may not|should not|cannot|nicht|niemals|nie|kein\w{0,3})(?!\p{L}).{0,40}(?<!\p{L})(?:tell|mention|reveal|share|give|say|disclose|discuss|name|talk|verrate\w*|nenne\w*|erwähne\w*|sage?|weiter\w*)(?!\p{L})|(?<!\p{L})(?:verrate|nenne|erwähne|sage?)(?!\p{L}).{0,60}(?<!\p{L})(?:nicht|niemals|nie)(?!\p{L})|(?<!\p{L})(?:confidential|secret|internal|vertraulich)(?!\p{L})/iu

/** Whether a sentence forbids the agent to mention something. */
export function isProhibition(sentence: string): boolean {
  return PROHIBITION.test(sentence.slice(0, 2_000))
}

const CONDITIONAL_FACT =
  /^(?:if|when) .{0,60}?(?:asks?|wants? to know) (?:about|for) ([^,]{2,80}),\s?(?:please )?(?:say|tell (?:them|him|her)|explain|answer) (?:that )?(.{4,300})$/i

/** Returns the fact in an instruction such as "If someone asks about allergens, say that …", or `null`. */
export function parseConditionalFact(sentence: string): { readonly about: string; readonly text: string } | null {
  const [match, about = '', text = ''] = CONDITIONAL_FACT.exec(sentence.slice(0, 600)) ?? []
  return match === undefined ? null : { about, text }
}
