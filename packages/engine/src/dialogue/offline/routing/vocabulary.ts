import { conceptsOfTerm } from '../concepts.ts'
import { stemWord } from '../tokenise.ts'

/**
 * Words that mean about the same when people say what they want: one line, one meaning. General English of customer service;
 * nothing here belongs to one business.
 */
const meanings = `
book booking reserve reservation appointment schedule slot table seat arrange
cancel cancellation terminate resign unsubscribe quit
change modify reschedule move postpone shift update amend edit correct alter switch rebook swap
upgrade bigger faster larger better higher premium
downgrade smaller cheaper lower
plan package contract subscription tariff membership
price prices pricing cost costs fee fees rate rates charge expensive cheap quote estimate pay
expensive pricey costly overpriced
bill billing bills invoice invoices charge charged charges statement payment overcharged
pay payment payments paid card cash transfer transaction purchase
refund reimburse reimbursement
return returns exchange
status progress track tracking whereabouts update news
order orders purchase parcel package shipment delivery item
delivery deliver delivered arrive arrived arrives ship shipped shipping
underway transit shipped dispatched way sent
problem problems issue issues trouble fault faulty error technical malfunction broken down defect outage drop drops dropping slow slower unstable dead died fail fails failing wrong interruption
broken broke damaged damage defective cracked leak leaking leaks faulty dead
internet wifi wlan wireless network connection online router modem broadband
water flood flooded flooding pipe leak leaking burst ceiling
theft stolen steal stole thief robbed burglary burgled took
lost lose missing misplaced mislaid
accident crash crashed collision collided hit accidents
injured injury injuries hurt hurts wounded bleeding broke
emergency urgent urgently immediately ambulance collapsed unconscious bleeding breathe breathing dying
breathe breathing breath
fire burning burns smoke flames
pain painful ache aches hurt hurts hurting sore
symptom symptoms fever cough pain sore headache rash nausea dizzy
prescription pill pills medicine medication refill refilled tablet tablets drug
doctor physician gp dr
person human agent representative operator staff someone somebody employee colleague advisor manager supervisor
technician mechanic engineer plumber repairman
open opening hours closed close closes opens
address location located directions where
menu dish dishes food vegetarian vegan gluten dietary diet allergy allergic allergies allergen meal meals eat
vehicle car auto automobile van truck
tow towing towed
stuck breakdown stranded
service maintenance inspection checkup
ready finished done completed complete
pickup collect collecting pick
baggage luggage bag bags suitcase suitcases carry-on
flight flights fly flying plane
hotel room rooms stay night nights accommodation
house home apartment flat
noise noisy loud music party
neighbour neighbours neighbor neighbors upstairs downstairs
rent rental lease hire
notice moving leaving terminate
block blocked blocking freeze frozen lock locked disable suspend
unblock unlock activate reactivate enable
fraud unauthorised unauthorized unknown suspicious recognise recognize unfamiliar
forgot forget forgotten remember
password pin passcode login credentials
register registration enrol enroll enrolment join subscribe signup
new first never newcomer
existing already before returning again regular previously earlier current
single one alone solo myself
double two couple both
discount coupon voucher promotion offer deal
complaint complain complains complaining dissatisfied unhappy
child children kid kids son daughter baby
photo photos picture pictures image images
upload send attach attachment submit
information info details
question questions ask enquiry inquiry query
answer answered answers answering
solved solve fixed fix resolved resolve works working sorted helped
available availability free open possible vacant
later tomorrow afterwards
bye goodbye farewell
buy purchase order get acquire
insurance insured policy coverage cover
claim claims
time times clock hour
day date
people persons guests party adults pax
sick ill unwell illness disease infection fever vomit vomiting eaten
pet pets dog dogs puppy cat cats kitten rabbit horse bird hamster animal animals
vaccination vaccine vaccinate vaccinated shot shots jab immunisation immunization booster
drink drinks beverage beverages
missing forgot forgotten absent lacking incomplete
wrong incorrect mistake mistaken mixed false
login password locked access signin credentials account
bug bugs glitch crash crashes freezes error errors
add adding invite extra additional include
sell selling sale seller
licence license permit
salary wage wages earn earnings compensation pay
teacher instructor trainer tutor
ride trip journey drive taxi cab
power electricity current blackout outage
property house flat apartment home villa
space spot room capacity
language english german french spanish speak
document documents paper papers form forms file certificate
signature sign signed
debt loan credit mortgage instalment installment
balance account funds
car vehicle auto
key keys lock locked
warranty guarantee guaranteed
size fit fits large small medium tight
colour color
event concert show ticket tickets performance
school course class lesson lessons training
clean cleaning dirty dirt stain
temperature heating heater warm cold radiator
review feedback rating opinion
guarantee promise
dangerous danger hazard unsafe safety
older elderly senior seniors pensioner
student students pupil
callback ring recall
deposit advance prepayment downpayment
explain explanation clarify clarification meaning
help assist assistance support
job vacancy career apply application position
demo demonstration trial test
`

const idsByTerm = new Map<string, string[]>()
for (const line of meanings.trim().split('\n')) {
  const words = line.split(' ')
  const id = `~${words[0] ?? ''}`
  for (const word of words) {
    const term = stemWord(word)
    const ids = idsByTerm.get(term) ?? []
    if (!ids.includes(id)) idsByTerm.set(term, [...ids, id])
  }
}

/** Buying and selling are one topic of a shop, but not one wish. */
const mixed = '#buy'

/** What a term (as `tokenise` gives it) may mean. */
export function meaningsOfTerm(term: string): readonly string[] {
  return [...(idsByTerm.get(term) ?? []), ...conceptsOfTerm(term).filter((concept) => concept !== mixed)]
}

const deniedWork =
  /\b(?:(?:does|do|did|is|are|was|were|will|wo|has|have)(?:n['’]?t| not)|never|stopped|quit|not) (?:\w+ )?(?:work(?:ing|s)?|load(?:ing)?|connect(?:ing)?|respond(?:ing)?|start(?:ing)?|turn(?:ing)? on|open(?:ing)?)\b|\b(?:broke|broken|breaks|breaking) down\b|\bkeeps? \w+ing\b|\bout of order\b/i

/** Turns of phrase whose meaning is in no single word. They hold for conditions and for what is said. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(?:come|coming|eat|dine) (?:\w+ ){0,2}(?:for|to) (?:dinner|lunch|brunch|breakfast)\b/i, '~book'],
  [/\bhow much\b|\bwhat (?:does|do|would|will) .{1,40}\bcosts?\b/i, '~price'],
  [
    /\bhow (?:late|long|early) are you open\b|\bwhen (?:do|are) you (?:open|close)|\buntil when\b|\bopening hours?\b/i,
    '~open',
  ],
  [/\bwhere (?:are you|is your|do i find you)\b/i, '~address'],
  [
    /\bhow far\b|\bany (?:news|updates?)\b|\bwhere(?:'s| is| are) my\b|\bstill waiting\b|\bis my .{1,30}\b(?:ready|finished|done|there|shipped)\b|\bwhen (?:will|does|do) .{1,40}\barrive/i,
    '~status',
  ],
  [deniedWork, '~problem'],
  [
    /\b(?:broke|broken) down\b|\bengine (?:died|stopped|failed)\b|\b(?:won['’]?t|doesn['’]?t|does not|will not) start\b/i,
    '~stuck',
  ],
  [/\b(?:broke|broken|breaking) in(?:to\b|\b(?! (?:the|my|our|a)\b))|\bbreak-?in\b/i, '~theft'],
  [/\bleft (?:it|my \w+|them) (?:in|on|at)\b|\b(?:can['’]?t|cannot|could ?n['’]?t) find\b/i, '~lost'],
  [/\b(?:can['’]?t|cannot|do ?n['’]?t|do not) remember\b/i, '~forgot'],
  [
    /\bshould be\b|\binstead\b|\bi meant\b|\brather (?:have|at|on|for)\b|\bnot \w+ but\b|\b(?:another|other|different) (?:day|time|date|one|number|address)\b/i,
    '~change',
  ],
  [
    /\bsend(?:ing)? (?:\w+ ){0,3}back\b|\bbring(?:ing)? (?:\w+ ){0,3}back\b|\bgiv(?:e|ing) (?:\w+ ){0,3}back\b/i,
    '~return',
  ],
  [/\b(?:money|pay me|paid) back\b/i, '~refund'],
  [/\bmov(?:e|ing) out\b|\bgiv(?:e|ing) notice\b/i, '~notice'],
  [/\bfor the first time\b|\bfirst (?:time|visit)\b|\bnever been\b/i, '~new'],
  [/\bsign(?:ing)? (?:me |us )?up\b/i, '~register'],
  [/\b(?:log|sign)(?:ging)? ?in\b|\blocked out\b/i, '~login'],
  [/\bhow (?:do|does|can|could|would|should|to)\b(?! you do)|\bhow .{1,40}\bworks?\b/i, '~howto'],
  [/\bhow long\b|\bhow many (?:minutes|hours|days|weeks)\b/i, '~duration'],
  [/\binstead of\b|\bnot what (?:i|we) (?:ordered|wanted|asked)\b/i, '~wrong'],
  [
    /\b(?:never|not|nobody|no one|(?:has|have|did|was)n['’]?t) (?:\w+ )?(?:c[ao]me|arrived?|show(?:n|ed)? up|delivered?|received?|got(?:ten)?)\b|\bstill waiting\b/i,
    '~undelivered',
  ],
  [/\b(?:go|going|went|come|get) back to\b|\bprevious\b|\bwhere we (?:were|left)\b/i, '~back'],
  [
    /\bbeen (?:here|there|a \w+|with (?:us|you))\b|\b(?:been|come|came|was|were) (?:here|there)? ?(?:before|last|in|every)\b|\bevery (?:\w+ )?(?:months?|years?|weeks?)\b/i,
    '~existing',
  ],
  [
    /\blater\b|\banother time\b|\bnot (?:right )?now\b|\bcall (?:you )?(?:back|again|later)\b|\bsome other (?:day|time)\b/i,
    '~later',
  ],
  [
    /\bthink (?:about|over|it)\b|\bneeds? (?:more |some )?time\b|\bsleep on it\b|\btalk to my (?:wife|husband|partner)\b|\bhesita|\bundecided\b/i,
    '~undecided',
  ],
  [/\bthere and back\b|\bround[- ]?trip\b|\bcoming back\b|\breturn (?:flight|ticket|trip)\b/i, '~return'],
  [/\bwhy\b|\bwhat for\b|\bhow come\b|\bfor what reason\b|\bthe reason (?:for|why)\b/i, '~why'],
  [/\btoo (?:expensive|much|pricey|high)\b|\bcan['’]?t afford\b|\bover (?:my|our|the) budget\b/i, '~expensive'],
  [/\b(?:tell|know|hear|learn|read) (?:me )?(?:\w+ )?more\b|\bmore (?:information|info|details)\b/i, '~information'],
  [
    /\b(?:did|do|have|has)(?: not|n['’]?t) (?:make|made|do|done|recogni[sz]e|authori[sz]e|order|buy|bought|know)\b/i,
    '~fraud',
  ],
  [
    /\bwhat (?:do you|does (?:it|that|this)) mean\b|\b(?:do not|don['’]?t|did not|didn['’]?t) (?:understand|get it)\b|\bconfus/i,
    '~explain',
  ],
]

/** A text without words that mean the contrary where they stand: "not working" has nothing of "working". */
export function withoutDenied(text: string): string {
  return text.replace(deniedWork, ' ')
}

/** The meanings that the wording of a text shows. */
export function meaningsByPhrase(text: string): string[] {
  return [...new Set(phrases.filter(([form]) => form.test(text)).map(([, id]) => id))]
}

/** Pairs of which only one can be the case. */
const opposites: Readonly<Record<string, string>> = {
  '~new': '~existing',
  '~existing': '~new',
}

/** What is the case when a meaning is not. */
export function oppositeOf(meaning: string): string | null {
  return opposites[meaning] ?? null
}
