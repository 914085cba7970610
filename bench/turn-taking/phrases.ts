/** What the callers say. Each set of the benchmark uses its own half of the longer lists. */

export interface Phrase {
  /** The text that a recognizer returns. */
  readonly text: string
  /** What flite reads, if it would spell the text. */
  readonly flite?: string
  /** What espeak-ng reads, if it would spell the text. */
  readonly espeak?: string
}

const toPhrases = (texts: string): Phrase[] => texts.split('|').map((text) => ({ text }))

export const BACKCHANNELS: readonly Phrase[] = [
  { text: 'mhm', flite: 'um hum', espeak: "[[m@h'm]]" },
  { text: 'uh-huh', flite: 'uh huh', espeak: "[[Vh'V]]" },
  { text: 'hmm', flite: 'hum', espeak: "[[h'm]]" },
  { text: 'mm-hmm', flite: 'um hum', espeak: "[[m:h'm]]" },
  ...toPhrases(
    'yeah|okay|right|I see|got it|sure|oh really?|yes|yep|all right|okay, okay|yeah, yeah|oh, okay|great|good|of course|wow|I know|exactly|oh, nice|true',
  ),
]

export const INTERRUPTIONS: readonly Phrase[] = toPhrases(
  'wait|stop|no, I meant Tuesday|hold on a second|can I ask something|actually, I need two tickets|sorry, what was that|excuse me|no, no, that is wrong|wait, how much is it|hang on|one moment please|I do not want that|that is not what I asked|what about the evening|could you repeat that|please stop talking|let me say something|no thanks|but I already paid for it|you misunderstood me|just tell me the price|is there anything earlier|stop, please|never mind|I have another question|how long does it take|no, the other one|wait a minute|actually, cancel it',
)

export const QUESTIONS: readonly Phrase[] = toPhrases(
  'what time do you open on Sunday?|how much is a room for two nights?|can I bring my dog?|where can I park my car?|do you have a table for four tonight?|is breakfast included?|could you tell me your address?|when does the next train leave?|how do I change my booking?|are you open on public holidays?|what is the phone number of the front desk?|can you send me the bill by mail?|which bus goes to the airport?|do I need an appointment?|is the doctor in tomorrow?|how long does the delivery take?|can I pay by card?|who should I ask for?|is there a lift in the building?|what should I bring with me?|do you speak German?|can I have a late checkout?|where do I pick up the key?|how far is the beach?|is there a discount for students?|could I get a window seat?|when will my order arrive?|what does the tour include?|are children allowed?|can you recommend a restaurant?|do you offer gift cards?|is the pool heated?|how old is the building?|can I change my password?|what is the best time to visit?|do you repair old bikes?|will it rain tomorrow?|why is my bill so high?|is my package at the post office?|could you call me back later?',
)

/** Sentences with a pause at the bar. */
export const UNFINISHED: readonly (readonly [Phrase, Phrase])[] = [
  'I would like to|book a table for two',
  'I am calling about|the letter that I got',
  'can you tell me if|the museum is open today',
  'my name is|Anna Miller',
  'we need a room with|a view of the sea',
  'I want to send the package to|my sister in Denver',
  'could you change it from Monday to|Wednesday afternoon',
  'I was wondering whether|you still have tickets',
  'the problem is that|my heating does not work',
  'I would prefer a|vegetarian menu',
  'please put it on my|company card',
  'I need to talk to the|person in charge of returns',
  'is it possible to|pay at the end of the month',
  'we are coming with|three small children',
  'I ordered a blue shirt and|a pair of black shoes',
  'I think it was on|the third of March',
  'do you know when the|next bus leaves',
  'I can come on Tuesday or|on Thursday morning',
  'the address is|twelve Garden Street',
  'I have a question about my|last electricity bill',
  'I want to cancel because|we are moving next week',
  'can I get a refund for|the second ticket',
  'there is a noise in the|engine of my car',
  'I would like to know how|the trial period works',
  'we stayed with you in|April of last year',
  'could I speak to|somebody in sales',
  'I lost my|credit card yesterday',
  'it should be for|six people at eight',
  'I am looking for a|present for my mother',
  'please tell her that|I will be late',
  'my daughter has a|fever since last night',
  'I paid for it but|it never arrived',
  'I live near the|central station',
  'what happens if|I miss the flight',
  'we would like to stay until|Sunday evening',
  'I need the document in|English and French',
  'the number on the card is|under the bar code',
  'it stopped working when|I changed the battery',
  'let me think it was|the smaller one',
  'can you connect me with|the repair service',
].map((line) => {
  const [first = '', second = ''] = line.split('|')
  return [{ text: first }, { text: second }] as const
})

/** Conversations in the background. */
export const BACKGROUND: readonly Phrase[] = toPhrases(
  'did you put the milk back in the fridge|and now the weather for the coming days|we could watch that film later tonight|the meeting moves to the big room upstairs|she said that the garden needs more water|and the winner of the match is the home team|pass me the salt and the bread please|they are building a new road behind the school',
)

/** The question that leads to a long answer. */
export const LONG_QUESTION: Phrase = { text: 'please explain how that works?' }
