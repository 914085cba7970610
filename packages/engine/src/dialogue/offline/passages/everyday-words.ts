/**
 * Everyday words beside those that businesses write, without diacritics: one group a line. What customers call a thing is seldom
 * what its document calls it.
 */
export const everydayGroups = `
evening night overnight sleep sleeps slept stay stays staying lodge accommodation
adult grown grownup grownups
buggy pram stroller pushchair
cot crib babybed
highchair highchairs
laundry washing clothes dry-cleaning ironing iron
lounge bar pub
linen sheets bedding towels bettwasche draps sabanas
luggage baggage suitcase suitcases trunk bags rucksack backpack
front desk reception receptionist counter empfang rezeption accueil recepcion
noshow no-show missed miss show appear turn
arrive arrival check-in checkin get-in reach land turn-up
latest last until deadline end closing
earliest first from start begin
quiet silence noise loud
ride riding cycle cycling bike bicycle
motor engine electric e-bike ebike drive assist
gear gears derailleur shift shifting hub speed
brake brakes braking disc rim stop stopping
frame carbon steel aluminium
wheel wheels tyre tyres rim rims
light lights lamp lamps beleuchtung feux luces
seat saddle saddles sattel selle sillin
rack carrier basket pannier
luggage load payload carry carries weight
height tall size inseam rider
lock key antitheft
trial test try ride probefahrt
paint painted colour color shade hue finish
stock left available remaining
pickup collect collection fetch
assemble assembled build built mounted mount install fit fitted attach attached
warranty guarantee guaranteed covers cover
tune service inspection check check-up checkup checkups overhaul
blood sample draw drawn taken lab
shot jab injection vaccine vaccination vaccinated inoculation immunisation
pills tablets medicine medication prescription prescriptions drug drugs
refill repeat reorder renew
doc doctor physician gp surgeon practitioner
practice clinic surgery office
sick ill illness unwell ailing disease
ache pain painful hurt hurts sore
pregnant pregnancy midwife maternity
scan mri ct xray x-ray ultrasound imaging
tube tunnel scanner
sedation sedated sleep anaesthetic anaesthesia narcosis
fasting sober nuchtern
drink drinking fluids liquid water tea coffee
companion accompany accompanied someone escort
referral slip letter refer
insured insurance insurer cover
bill billed invoice charge charged
surcharge extra supplement additional fee
mobile cellphone phone handset smartphone
texts sms text message
gigabyte gigabytes gig gigs gb data volume allowance surf surfing
slow slowed throttle throttled speed
abroad foreign overseas roaming eu countries
sim esim
quit cancel terminate end leave notice ends
contract runs term commitment tied bound
hotspot tethering share
voicemail mailbox
coverage signal reception network outage fault
landline fixed
topup top-up recharge credit
account current checking
cash withdraw withdrawal withdrawals atm machine machines cashpoint
overdraft overdrawn minus
wire transfer transfers send remittance
abroad currency foreign conversion
card debit credit plastic bank-card
pin code secret
block freeze lock lost stolen suspend
statement statements paper post letters
monthly month fee keeping price
balance minimum income salary wage wages
saver savings save interest yield rate return
teen teenager youth young minor child
joint shared couple spouse partner second
branch office counter
mortgage house-loan property
advisor adviser consultant consultation advice
invoice invoices bill bills receipt receipts
customer customers client clients contact contacts
tax vat sales-tax
report reports statistics figures summary
export download save file
import upload
undo restore recover bring-back trash deleted
delete remove erase get-rid
duplicate copy clone
print printing printed printer paper
template templates layout design logo
user users seat seats colleague colleagues coworker coworkers teammate member members invite
role roles permission permissions rights access
password passcode login sign-in
two-factor authentication authenticator
sync synchronise synchronize update
backup backups copy safeguard
crash freeze hang error message
language languages locale translate
shortcut keyboard keys press
mobile app phone tablet
desktop computer pc laptop mac windows
subscription licence license plan price
trial test free period
remind reminder reminders overdue unpaid late
number numbering sequence
passport travel-document id identity
driving licence driver
register registration move moved relocate address
birth newborn certificate
marriage wedding wed
dog tax tag
waste rubbish garbage bin bins trash tonne
bulky furniture sofa mattress sperrmull
glass bottles recycling
paper cardboard
compost organic bio food-scraps biomull
park permit resident residents anwohner parkausweis
noise complaint
fine ticket penalty
town city municipality council
office opening hours
appointment slot booking termin
wait queue line
washing machine washer drum
spin spinning revolutions rpm
detergent soap powder liquid softener laundry
filter lint pump drain fluff
leak leaking drip water
smell odour stink mould
door hatch flap
noise loud decibel vibration shake shaking
child lock kids safety
quick short express fast programme
wool delicate silk
temperature degrees hot cold boil
energy electricity power consumption kwh
delay timer later start
transport bolts shipping
install installation connect hose tap
descale scale lime limescale calc kalk entkalken
coffee espresso cup cups tasse tassen beans bohnen
milk foam froth milchschaum milch
grind grinder mahlwerk mahlgrad
tank container reservoir behalter wassertank
clean cleaning rinse wipe spulen reinigen
weight weighs heavy
dimensions wide high deep size fit
deductible excess own share
premium cost price monthly yearly
claim claims damage report loss notify
theft stolen burglary break-in robbed
police cops officer
fire burn burnt smoke
water pipe burst flood
storm wind hail
glass window pane
valuables jewellery
liability third-party
trip travel journey holiday
cancel cancellation ill sick
doctor hospital treatment medical
sport sports ski skiing climbing mountaineering
pet dog cat animal
phone mobile gadget electronics
lapse waiting period begin
home household contents furniture
building house structure
student undergraduate
course programme degree bachelor master
credits ects points
semester term spring autumn winter summer start intake
apply application applications admission enrol
deadline accepted until
grade grades marks score average
english language test toefl ielts
fee fees tuition cost pay costs
scholarship grant bursary funding
exam exams examination examinations test paper
fail failed flunk repeat retake resit repeated
thesis dissertation final
internship placement practical work-experience
abroad exchange erasmus
lecturer professor teacher tutor coordinator
lecture lectures class classes seminar attendance
dorm dormitory residence
library books borrow
illness sick certificate doctor
lab laboratory
museum exhibition exhibits objects collection gallery
ticket tickets entry entrance admission entree eintritt entrada
guided tour tours guide
photo photos photograph pictures camera
built made dates year from
donated gift donor origin
gymnasium gym fitness training workout
trainer coach instructor
class classes course clase cours
shower showers changing locker lockers
tent tents tente pitch emplacement
caravan camper camping-car motorhome
bonfire barbecue grill
shop bakery bread
beach sea lake plage
electricity power hookup electricite
washing-up dishes
playground playing kids club
quiet hours night rest
arrive arrivee llegada
depart depart salida
minor minors menor menores mineur
discount reduction reduced cheaper concession
family families famille familia
refund money back reimbursed
freeze pause suspend holiday
cancel baja darse
parking aparcar parken garer
weekend saturday sunday
holiday holidays closed
wheelchair step-free ramp lift accessible disabled
allergy intolerance gluten lactose
vegan vegetarian plant
smoke smoking
complain complaint unhappy
lost found property
child children girl boy kid kids son daughter toddler baby
husband wife spouse partner
grandparents grandfather grandmother elderly senior seniors pensioner
deliver delivery ship sent send post courier
assemble setup set-up
replace replaced exchange swap new
spare parts part
manual instructions guide
america usa us american states amerika etats-unis eeuu
britain uk england british
europe european eu ue
expire expires run-out valid validity
begin begins commence start starts kick-off
finish finishes end ends over
cheapest cheap lowest
dearest expensive highest
fastest quickest top maximum
heaviest maximum limit most
depth deep
wide width broad
high height tall clearance
twice double two
`
