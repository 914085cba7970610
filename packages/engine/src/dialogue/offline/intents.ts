/** What a message does, apart from what it is about. */
export type Intent =
  | 'greeting'
  | 'how-are-you'
  | 'thanks'
  | 'goodbye'
  | 'identity'
  | 'reveal'
  | 'person'
  | 'cancel'
  | 'introduction'

const revealing =
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules|guidelines|directions|everything (?:above|before)|told)\b|\b(?:system|initial|hidden|original|secret|developer)[ -](?:prompt|message|instructions?|rules)\b|\b(?:your|the|these|this|all|previous|above) (?:exact )?(?:prompt|instructions|guidelines|configuration)\b|\b(?:print|show|reveal|repeat|output|display|recite)\b.{0,30}\b(?:above|verbatim|word for word|your rules)\b|\byour rules\b/i
const greeting =
  /^(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|servus|moin|bonjour|salut|hola|buenos d[ií]as|ciao|ol[aá]|你好|您好|こんにちは|안녕하세요)(?:[\s,.!👋]+(?:there|all|everyone|again|[A-Z][a-z]+))?[\s,.!。！👋]*/iu
const thanks =
  /\b(?:thanks|thank you|thx|ty|cheers|much appreciated|danke|vielen dank|merci|gracias|grazie|obrigad[oa])\b|谢谢|ありがとう|감사/i
const goodbye =
  /\b(?:good ?bye|bye(?:[- ]bye)?|see (?:you|ya)(?: (?:later|soon|then|tomorrow))?|talk (?:to you )?(?:later|soon)|have a (?:nice|good|great|lovely) (?:day|one|evening|weekend|night)|good night|tsch[uü]ss|auf wiedersehen|au revoir|adi[oó]s|hasta luego|arrivederci|take care|hang up|end (?:the|this) (?:call|chat|conversation)|i(?:'m| am) done(?: here)?$|that(?:'s| is|’s) (?:all|everything|it)(?:,? (?:for (?:now|today)|thanks|thank you|(?:i|we) (?:need|want)\w*))*[\s.!]*$|that will be all|nothing else|no more questions|that would be all)\b|再见|さようなら/i
const howAreYou =
  /\bhow (?:are|r) (?:you|u)(?: (?:doing|today|feeling))*\b|\bhow(?:'s| is) it going\b|\bhow do you do\b|\bwhat'?s up\b/i
const identity =
  /\bwho (?:are|r) (?:you|u)\b|\bwhat(?:'s| is|’s) your name\b|\bwho am i (?:talking|speaking|chatting) (?:to|with)\b|\bwho is this\b|\bare you (?:a |an |really )*(?:bot|robot|human|ai|machine|real|computer|person|real person)\b|\bwhat are you\b\s*\??$|\bintroduce yourself\b|\btell me about yourself\b|\bwer (?:bist du|sind sie)\b|\bwer spricht\b|\bqui [eê]tes[- ]vous\b|\bqui[eé]n eres\b|你是谁/i
const person =
  /\b(?:speak|talk|connect|transfer|put|pass|get)\b.{0,30}\b(?:human|person|someone|somebody|agent|representative|operator|manager|supervisor|staff|colleague|employee|receptionist)\b|\b(?:real|live|actual) (?:human|person|agent)\b|\b(?:human|live) agent\b|^(?:human|agent|representative|operator)[.!]*$/i
const cancel =
  /\b(?:never ?mind|forget (?:it|about it|that)|stop (?:it|that|asking)|leave it|changed my mind|don'?t bother|no longer want)\b|^(?:cancel|stop|abort)(?: (?:it|that|this))?[.!]*$/i
const introduction = /\b(?:my name(?:'s| is)|i'?m called|this is [A-Z])/i

/** How a message relates to a question: agreement, refusal, or neither. */
export function polarityOf(text: string): 'yes' | 'no' | null {
  const plain = text.trim().toLowerCase().replace(/’/g, "'")
  const refuses =
    /^(?:no|nope|nah|not|never|non|nein|nicht|negative|i do not|i don't|don't|i'd rather not|i would rather not|不|いいえ|아니)(?![\p{L}])/u.test(
      plain,
    ) ||
    /\b(?:no thanks|no thank you|not interested|not really|not now|not today|i decline|i refuse|i disagree|don't want|do not want|doesn't|isn't|that's wrong|incorrect)\b/.test(
      plain,
    )
  if (refuses) return /^(?:no problem|not a problem|no worries|not only)\b/.test(plain) ? 'yes' : 'no'
  const agrees =
    /^(?:yes|yep|yeah|yup|ya|ja|jo|oui|s[ií]|sim|da|sure|ok|okay|okey|correct|right|exactly|indeed|absolutely|definitely|certainly|of course|please do|go ahead|sounds good|that works|works for me|fine|great|perfect|agreed|affirmative|i do|i am|i agree|i confirm|i accept|gladly|why not|natürlich|gerne|claro|是|好|はい|네)(?![\p{L}])/u.test(
      plain,
    ) ||
    /\b(?:that(?:'s| is) (?:right|correct|fine|me|ok|okay|good)|i'd love to|yes please|i accept|i confirm|i agree)\b/.test(
      plain,
    )
  return agrees ? 'yes' : null
}

/** The part of a message after its opening greeting. */
export function withoutGreeting(text: string): string {
  return text.trim().replace(greeting, '').trim()
}

/** Whether a message asks for an answer, by its form. */
export function isQuestion(text: string): boolean {
  return (
    /[?？]\s*$/.test(text) ||
    /^(?:what|when|where|who|whom|which|why|how|do|does|did|is|are|was|can|could|will|would|should|may|have|has|tell me|wann|wo|was|wie|wer|quand|qu[ei]|o[uù]|d[oó]nde|cu[aá]ndo)\b/i.test(
      withoutGreeting(text),
    ) ||
    /\b(?:do you|are you|can i|could i|is there|are there|what is|what are|how much|how many|i wonder|吗|呢)\b/i.test(
      text,
    )
  )
}

const byIntent: readonly (readonly [Intent, RegExp])[] = [
  ['reveal', revealing],
  ['person', person],
  ['identity', identity],
  ['how-are-you', howAreYou],
  ['cancel', cancel],
  ['introduction', introduction],
]

/** The intents of a message. Thanks and goodbyes count only when nothing is asked beside them. */
export function intentsOf(text: string): ReadonlySet<Intent> {
  const bounded = text.slice(0, 2_000)
  const intents = new Set<Intent>(byIntent.filter(([, pattern]) => pattern.test(bounded)).map(([intent]) => intent))
  const remaining = withoutGreeting(bounded)
  if (remaining !== bounded.trim()) intents.add('greeting')
  const asks = /[?？]/.test(remaining)
  if (!asks && goodbye.test(remaining)) intents.add('goodbye')
  if (!asks && thanks.test(remaining) && remaining.split(/\s+/).length <= 12) intents.add('thanks')
  return intents
}
