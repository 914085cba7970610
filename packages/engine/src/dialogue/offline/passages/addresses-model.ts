/**
 * What in a document speaks to a model instead of a reader: orders to forget, reveal, call or say something, marks of roles, names
 * of tools. Manuals are full of plain imperatives, so only these count.
 */
const orders = new RegExp(
  [
    '\\b(?:ignore|disregard|forget|override|bypass)\\b.{0,60}\\b(?:instructions?|prompts?|rules|guidelines|directions|everything|above|before|earlier|previous|prior)\\b',
    '\\b(?:ignorier\\p{L}{0,12}|vergiss|vergessen sie)\\b.{0,60}\\b(?:anweisung\\p{L}{0,12}|regeln|vorgaben|bisherig\\p{L}{0,12})\\b',
    '\\b(?:ignore[zs]?|oublie[zs]?)\\b.{0,60}\\b(?:instructions|consignes|r[eè]gles)\\b',
    '\\b(?:ignora|ignore|olvida|olvide)\\b.{0,60}\\b(?:instrucciones|reglas|indicaciones)\\b',
    '\\b(?:system|developer|hidden|initial) (?:prompt|message|instructions?)\\b',
    "\\b(?:as|you are|you’re|you're|act as|pretend to be|du bist|sie sind|tu es|vous [eê]tes|eres) (?:now |an? |ein |eine |une? |un |)?(?:ai|a\\.i\\.|llm|language model|chat ?bot|(?:ai |virtual |voice )?assistant|ki|sprachmodell|mod[eè]le de langage)\\b",
    '\\byou are now\\b|\\bfrom now on,? (?:you|always|answer|respond|say)\\b|\\bnew instructions?\\b',
    '\\b(?:the|this|any|all|dear|attention|note to) (?:ai|llm|language model|chat ?bot|assistant|agent|model)s?\\b.{0,40}\\b(?:must|should|shall|has to|have to|will|reading|:)',
    '\\b(?:tell|inform|ask|instruct|convince|persuade) (?:the |every |any |all )?(?:user|caller|customer|person asking)s?\\b',
    '\\b(?:call|invoke|execute|run|trigger|use) (?:the )?[`"“]?\\p{L}{1,40}(?:_\\p{L}{1,40}){0,8}[`"”]? (?:tool|function)\\b|\\b(?:tool|function)[ _]call\\b|\\b(?:call|invoke) the (?:tool|function)\\b',
    "\\b(?:respond|reply|answer) (?:only |always )?(?:with|in the form)\\b|\\b(?:when|if) (?:anyone|someone|somebody|the user|a user|you(?:'re| are)? ask\\p{L}{0,12})\\b.{0,60}\\b(?:say|answer|reply|respond|claim|pretend)\\b",
    '(?:^|\\s)[`"“]?[a-z]+_[a-z0-9_]+\\s*\\(|^\\s*(?:system|assistant|user|human|ai)\\s*:|<\\|?/?(?:im_start|im_end|system|assistant|instructions?)\\b|\\[/?INST\\]|\\{\\{|\\}\\}',
  ].join('|'),
  'iu',
)

/** Whether a sentence of a document is meant for a model. It is neither followed nor said. */
export function addressesModel(sentence: string): boolean {
  return orders.test(sentence.slice(0, 2_000))
}
