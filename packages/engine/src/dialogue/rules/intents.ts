/** The purpose of a message, independent of its subject. */
export type Intent =
  | 'greeting'
  | 'how-are-you'
  | 'thanks'
  | 'goodbye'
  | 'identity'
  | 'abilities'
  | 'reveal'
  | 'person'
  | 'cancel'

const GREETING =
  /^(?:hi|hello|hey|hiya|greetings|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|servus|moin|gr[uü](?:ß|ss) (?:gott|dich)|bonjour|salut|hola|buen(?:os d[ií]as|as tardes)|ciao|ol[aá]|你好|您好)(?:\s(?:there|all|everyone|again|zusammen))?(?![\p{L}])[\s,.!。！]{0,20}/iu

const PATTERNS: readonly (readonly [Intent, RegExp])[] = [
  [
    'reveal',
    /\b(?:ignore|disregard|forget|override|bypass|ignorier\w*|vergiss)\b.{0,40}\b(?:instructions?|prompts?|rules|guidelines|told|anweisungen|regeln)\b|\b(?:system|initial|hidden|original|secret)[ -]?(?:prompt|message|instructions?)\b|\b(?:your|the|these|previous|above|deine|ihre) (?:exact )?(?:prompt|instructions|guidelines|rules|configuration|anweisungen|regeln)\b|\b(?:print|show|reveal|repeat|output|recite)\b.{0,30}\b(?:above|verbatim|word for word)\b/i,
  ],
  [
    'person',
    /\b(?:speak|talk|connect|transfer|put|pass|get|chat)\b.{0,30}\b(?:human|person|someone|somebody|agent|representative|operator|manager|supervisor|staff|colleague|employee|lawyer|mechanic|doctor|dentist)s?\b|\b(?:real|live|actual) (?:human|person|agent)\b|\bhuman agent\b|^(?:human|agent|representative|operator)[.!]*$|\b(?:mit|einen|einem|an)\b.{0,25}\b(?:mensch(?:en)?|mitarbeiter(?:in)?|person|kollegen?|berater|anwalt|arzt|zahnarzt)\b.{0,20}\b(?:sprechen|reden|verbinden|weiterleiten)\b|\becht(?:en|er|e) (?:mensch|person)/i,
  ],
  [
    'identity',
    /\bwho (?:are|r) (?:you|u)\b|\bwhat(?:'s| is) your name\b|\bwho am i (?:talking|speaking|chatting)\b|\bwho is this\b|\bare you (?:a |an |really )*(?:bot|robot|human|ai|machine|real|computer|person)\b|\bintroduce yourself\b|\btell me about yourself\b|\bwer (?:bist du|sind sie|spricht|ist da|seid ihr)\b|\b(?:bist du|sind sie) (?:ein |eine )?(?:bot|roboter|mensch|maschine|ki|computer|echt)|\bmit wem (?:spreche|rede)|\bwie (?:hei(?:ß|ss)en sie|hei(?:ß|ss)t du)|\bqui [eê]tes[- ]vous\b|\bqui[eé]n (?:eres|es usted)\b/i,
  ],
  [
    'abilities',
    /\bwhat (?:can|could|do) (?:you|u) (?:do|help|offer|know)\b(?!.{0,20}\bfor \w{4})|\bhow can you help\b|\bwhat (?:can|may) i ask\b|\bwhat are you (?:able|there) \b|\bwobei (?:kannst|können)|\bwas (?:kannst du|können sie)(?: alles| eigentlich| für mich)?(?: tun| machen)?\s*\??$|\bwie (?:kannst du|können sie) (?:mir )?helfen/i,
  ],
  [
    'how-are-you',
    /\bhow (?:are|r) (?:you|u)(?: (?:doing|today))*\b|\bhow do (?:you|u) feel\b|\bhow(?:'s| is) it going\b|\bwhat'?s up\b|\bwie geht(?:'s| es)\b/i,
  ],
  [
    'cancel',
    /\b(?:never ?mind|forget (?:it|about it)|stop asking|leave it|changed my mind|don'?t bother|vergiss es|vergessen sie es|lass(?:en sie)? es|(?:möchte|will|brauche) (?:es |das )?doch nicht|nicht mehr n[oö]tig)\b|^(?:cancel|stop|abort|abbrechen|stopp)(?: (?:it|that|this))?[.!]*$/i,
  ],
]
const THANKS =
  /\b(?:thanks|thank you|thx|cheers|much appreciated|danke|vielen dank|dankesch[oö]n|merci|gracias|grazie|obrigad[oa])\b|谢谢|ありがとう/i
const GOODBYE =
  /\b(?:good ?bye|bye(?:[- ]bye)?|see (?:you|ya)(?: (?:later|soon|then|tomorrow))?|talk (?:to you )?(?:later|soon)|have a (?:nice|good|great|lovely) (?:day|one|evening|weekend|night)|good night|tsch[uü](?:ss|ß)|tschau|ciao|auf wieder(?:sehen|h[oö]ren)|bis (?:bald|dann|sp[aä]ter)|sch[oö]nen (?:tag|abend)(?: noch)?|au revoir|adi[oó]s|hasta luego|arrivederci|take care|hang up|end (?:the|this) (?:call|chat|conversation)|(?:that|this)(?:'s| is| will be| would be) (?:all|everything|it)(?![\p{L} ]*\?)|das (?:war|w[aä]re?|ist)(?: auch)?(?: schon)? alles|nothing else|no more questions|keine (?:weiteren )?fragen(?: mehr)?)(?![\p{L}])/iu

/** Normalizes a message for pattern matching: unifies apostrophes and limits the length. */
function normalizeMessage(text: string): string {
  return text.slice(0, 2_000).replaceAll('’', "'").trim()
}

/** Returns a message without its opening greeting. */
export function stripGreeting(text: string): string {
  return text.trim().replace(GREETING, '').trim()
}

/** Whether a message has the form of a question. */
export function isQuestion(text: string): boolean {
  const normalizedText = normalizeMessage(text)
  return (
    /[?？]["”’)]{0,3}$/.test(normalizedText) ||
    /^(?:and |und |aber |but |so |ok |okay )?(?:what|what's|when|where|where's|who|whom|which|why|how|do|does|did|is|are|was|can|could|will|would|should|may|have|has|tell me|wann|wo|woher|wohin|was|wie|wieviel|wer|wen|wem|welche[rsnm]?|warum|wieso|kann|k[oö]nnen|k[oö]nnt|haben|habt|hat|gibt|gibts|sind|seid|ist|darf|muss|m[uü]ssen|nehmen|bieten|machen|quand|que|qui|o[uù]|quel\w*|combien|d[oó]nde|cu[aá]\w+)(?![\p{L}'])/iu.test(
      stripGreeting(normalizedText),
    ) ||
    /\b(?:do you|are you|can i|could i|is there|are there|what is|how much|how many|how long|i wonder|(?:like|want) to know|wie viel|wie lange|gibt es|ich (?:wollte|w[uü]rde gern|m[oö]chte) (?:fragen|wissen))(?![\p{L}])/iu.test(
      normalizedText,
    )
  )
}

/** Returns how a message answers a yes-or-no question, or `null` if it does not. */
export function detectPolarity(text: string): 'yes' | 'no' | null {
  const normalizedText = normalizeMessage(text).toLowerCase()
  const isRefusal =
    /^(?:(?:well|oh|um|actually|nee?),? )?(?:no|nope|nah|not|never|non|nein|nee|nicht|negative|wrong|falsch|don't|i (?:do not|don't|would rather not|'d rather not))(?![\p{L}])/u.test(
      normalizedText,
    ) ||
    /\b(?:no,? thanks?|no thank you|not interested|not really|not now|i decline|don't want|do not want|that's wrong|that is wrong|not (?:quite )?(?:right|correct)|incorrect|stimmt (?:so )?nicht|nicht (?:ganz )?richtig|m[oö]chte (?:ich )?nicht|will (?:ich )?nicht|lieber nicht)(?![\p{L}])/u.test(
      normalizedText,
    )
  if (isRefusal) return /^(?:no problem|no worries|not only|not a problem)\b/.test(normalizedText) ? 'yes' : 'no'
  const isAgreement =
    /^(?:(?:oh|well|um|ah),? )?(?:yes|yep|yeah|yup|yess?|ya|ja|jo|jawohl|oui|s[ií]|sure|ok|okay|correct|right|exactly|absolutely|definitely|certainly|of course|please do|please|go ahead|sounds good|that works|fine|great|perfect|perfekt|agreed|i do|i agree|i confirm|gladly|why not|nat[uü]rlich|gerne?|genau|richtig|stimmt|korrekt|passt|einverstanden|bitte|alles richtig|claro|是|好|はい)(?![\p{L}])/u.test(
      normalizedText,
    ) ||
    /\b(?:that(?:'s| is) (?:right|correct|fine|me|ok|okay|good|great)|everything is (?:right|correct|fine)|(?:i'd|i would) (?:love|like) (?:to|that)$|yes please|das (?:stimmt|passt|ist (?:richtig|korrekt|gut)))(?![\p{L}])/u.test(
      normalizedText,
    )
  return isAgreement ? 'yes' : null
}

/** Detects the intents of a message. Thanks and goodbyes count only if the message asks nothing else. */
export function detectIntents(text: string): ReadonlySet<Intent> {
  const normalizedText = normalizeMessage(text)
  const intents = new Set<Intent>(
    PATTERNS.filter(([, pattern]) => pattern.test(normalizedText)).map(([intent]) => intent),
  )
  const remainingText = stripGreeting(normalizedText)
  if (remainingText !== normalizedText) intents.add('greeting')
  if (/[?？]/.test(remainingText)) return intents
  if (GOODBYE.test(remainingText)) intents.add('goodbye')
  if (THANKS.test(remainingText) && remainingText.split(/\s+/).length <= 20) intents.add('thanks')
  return intents
}

/** Converts a text to lowercase without diacritics, for comparison. */
export function foldText(text: string): string {
  return text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '').replaceAll('ß', 'ss').replaceAll('’', "'")
}

/** English and German stop words in folded form. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about again all also am an and any anything are as at be been but by can could did do does doing for from get give go got had has
   have he hello her here hey hi him his how i if in into is it its just know let like ll many may me might more most much must my need no
   not of oh ok okay on one or our out please re s say shall she should so some someone something sorry t tell than thank thanks that the
   their them then there these they this those to too up us ve very want wanted was we well were what when where which who whom whose why
   will with would yes you your yours aber alle alles als am an auch auf aus bei beim bin bis bist bitte da dann danke das dass dem den
   denn der des die dir doch du ein eine einem einen einer er es etwas euch euer fur gerne gern gibt habe haben hallo hat hatte hier ich
   ihm ihn ihnen ihr ihre ihren im in ist ja kann kein keine konnen konnte konnten man mal mein meine mich mir mit mochte muss nach nein
   nicht noch nur oder schon sein sich sie sind so und uns unser vom von war warum was welche wenn wer werden wie will wir wird wo wurde
   wurden zu zum zur`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

/** Returns a text's folded words without stop words, in order. */
export function extractContentWords(text: string): string[] {
  const words = foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => word.length > 1 && !STOP_WORDS.has(word))
}
