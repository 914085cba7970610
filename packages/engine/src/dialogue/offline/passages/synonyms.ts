import { stemWord } from '../tokenise.ts'
import { everydayGroups } from './everyday-words.ts'

/** Words that ask for or say the same, in English, German, French and Spanish, without diacritics: one group a line. */
const groups = `
price prices pricing cost costs fee fees charge charges charged tariff rate pay expensive cheap kosten kostet preis preise gebuhr gebuhren entgelt teuer zahlen bezahlen prix cout couts coute coutent couter frais payer cher precio precios coste costo cuesta cuestan costar tarifa pagar
free gratis complimentary kostenlos kostenfrei umsonst gratuit gratuite gratuits gratuitement gratuito gratuita included inclusive inklusive inbegriffen enthalten inclus incluse compris comprise incluido incluida
open opens opening hours geoffnet offnen offnet offnungszeiten aufmachen ouvert ouverte ouvre ouverture horaires horaire abierto abierta abre abren apertura horario horarios
close closes closing closed shut shuts schliessen schliesst geschlossen zumachen ferme fermes fermeture cierra cierran cerrado cierre
address located location directions situated street adresse anschrift standort lage befindet liegt adresse situe situee trouve direccion ubicado ubicacion encuentra
phone telephone call contact reach number hotline ring telefon telefonnummer anrufen erreichen erreichbar rufnummer appeler joindre numero llamar contactar telefono
email mail e-mail mailadresse courriel correo
deliver delivery deliveries delivered ship shipping shipment courier dispatch lieferung liefern geliefert zustellung versand livraison livrer livre entrega envio enviar
book booking bookings reserve reservation reservations appointment appointments buchen buchung reservieren reservierung termin termine reserver rendez-vous rendezvous reservar reserva cita
cancel cancels cancelled canceled cancelling cancellation cancellations stornieren stornierung absagen absage kundigen kundigung annuler annulation resilier resiliation cancelar cancelacion anular
terminate termination notice quit leave end ending cancel kundigen kundigung kundigungsfrist resilier resiliation rescindir baja
refund refunds refunded reimburse reimbursed reimbursement moneyback erstattung erstatten erstattet ruckerstattung zuruckerstattet rembourser remboursement rembourse reembolso reembolsar devolucion
return returns returned send-back sendback zuruckgeben ruckgabe zurucksenden rendre retour retourner devolver devolucion
pay payment payments paid bezahlen bezahlt zahlen zahlung paiement payer pago pagar
cash bargeld especes efectivo
invoice bill billed rechnung facture factura
child children girl boy kid kids baby babies toddler son daughter kind kinder baby enfant enfants bebe nino ninos nina hijo hijos
adult adults grown-up erwachsene erwachsener adulte adultes adulto adultos
senior seniors pensioner pensioners retired elderly rentner pensionist senioren retraite retraites jubilado jubilados
student students pupil undergraduate studierende studenten student etudiant etudiants estudiante estudiantes
park parking parked car garage parkplatz parken tiefgarage parkplatze stationnement garer voiture aparcar aparcamiento coche estacionamiento
car cars vehicle vehicles auto fahrzeug pkw wagen voiture vehicule coche vehiculo
bike bikes bicycle bicycles cycle cycling fahrrad fahrrader rad rader velo velos bicicleta bicicletas
doctor doctors physician physicians dr medic arzt arztin arzte medecin medecins medico medicos
patient patients
repair repairs repaired fix fixing fixed mend mending reparatur reparieren reparation reparer reparar reparacion arreglar
broken damaged damage defect defective faulty malfunction broke kaputt defekt beschadigt schaden endommage casse panne roto danado averia
pet pets dog dogs labrador terrier poodle dachshund kitten cat cats animal animals puppy haustier haustiere hund hunde tier tiere animal animaux chien chiens mascota mascotas perro perros
change changes reschedule move modify update rebook switch amend alter andern anderung wechseln wechsel umbuchen modifier changer changement cambiar cambio modificar
upgrade switch change wechsel wechseln upgraden
rent rental rentals hire renting hiring borrow borrowing loan mieten verleih ausleihen leihen miete louer location emprunter alquilar alquiler prestamo
loan loans borrow borrowed credit mortgage kredit darlehen pret prets credito prestamo
lend lending borrow borrowing checkout ausleihe ausleihen entleihen
breakfast fruhstuck petit-dejeuner petitdejeuner dejeuner desayuno
lunch mittagessen midi almuerzo
dinner supper abendessen diner cena
eat meal meals food dining dine restaurant essen mahlzeit manger repas comer comida
drink drinks beverage beverages getrank getranke boisson boissons bebida bebidas
room rooms zimmer chambre chambres habitacion habitaciones
bed beds bett betten lit lits cama camas
night nights overnight nacht nachte ubernachtung nuit nuits noche noches
people persons guests guest occupants personen personnes personas
guest guests visitor visitors gast gaste besucher invite invites client visiteur huesped huespedes invitado
pool swimming swim swimmingpool schwimmbad schwimmen piscine nager piscina nadar
towel towels handtuch handtucher serviette serviettes toalla toallas
gym fitness workout fitnessraum gimnasio
spa sauna wellness
wifi wi-fi wlan internet network
password passwort kennwort contrasena passphrase
login log-in sign-in signin logon anmelden anmeldung connexion connecter acceder
luggage baggage suitcase suitcases bags bag gepack koffer bagage bagages valise equipaje maleta maletas
arrive arrival arrivals check-in checkin ankunft anreise ankommen arrivee arriver llegada llegar
leave depart departure check-out checkout abreise abfahrt depart partir salida salir
late later delayed delay overdue spat verspatet verspatung retard tard tarde retraso
lost lose losing misplaced missing verloren verlieren verlust perdu perdre perte perdido perder perdida
stolen theft steal thief gestohlen diebstahl vole vol robado robo
insurance insured cover covers covered coverage versicherung versichert deckt gedeckt assurance assure couvert couvre couverture seguro asegurado cubre cobertura
claim claims claiming schadensfall schadensmeldung sinistre sinistres declarer siniestro reclamacion
deductible excess selbstbehalt selbstbeteiligung franchise franquicia
warranty guarantee guaranteed garantie gewahrleistung garantia
complaint complaints complain beschwerde reklamation reclamation plainte queja
document documents paperwork papers dokument dokumente unterlagen papiere papiers documento documentos
passport pass id identification identity ausweis reisepass personalausweis identite passeport pasaporte identidad dni
form forms application apply applying formular antrag beantragen formulaire demande demander formulario solicitud solicitar
register registration enrol enroll enrolment sign-up signup join anmelden anmeldung registrieren inscription inscrire inscripcion inscribirse registro
deadline due latest cutoff frist bis date-limite limite plazo
permit permits licence license licences genehmigung erlaubnis bewilligung permis autorisation permiso licencia
allow allowed allows permitted permit may permission accept accepted accepts welcome erlaubt gestattet durfen zulassig autorise permis admis permitido admiten
forbidden prohibited banned not-allowed verboten untersagt interdit prohibido
fine fines penalty penalties fee charge charges surcharge strafe busse amende multa
discount discounts discounted reduction reduced concession concessions cheaper saving rabatt ermassigt ermassigung nachlass remise reduction reduit descuento descuentos reducido
deposit deposits kaution anzahlung caution acompte arrhes fianza deposito
membership member members mitglied mitgliedschaft abonnement adherent membre socio miembro
subscription subscribe contract plan plans abo abonnement vertrag tarif contrat forfait contrato suscripcion
minimum term duration contract commitment laufzeit mindestlaufzeit vertragslaufzeit duree engagement duracion permanencia
data gigabytes gb gigabyte datenvolumen volumen donnees datos gigas
speed fast mbps mbit megabit bandwidth geschwindigkeit schnell vitesse debit velocidad
roaming abroad foreign overseas ausland international etranger extranjero
minutes calls calling talk telefonieren minuten appels llamadas minutos
sms text texts texting message messages nachricht nachrichten
sim simcard esim sim-karte tarjeta-sim
account accounts konto konten compte comptes cuenta cuentas
card cards karte karten carte cartes tarjeta tarjetas
transfer transfers wire uberweisung uberweisen virement transferencia
withdraw withdrawal withdrawals atm abheben geldautomat retrait retirer retirar cajero
interest rate zins zinsen zinssatz interet taux interes
overdraft uberziehung dispo decouvert descubierto
save saving savings deposit sparen sparbuch epargne ahorro
statement statements kontoauszug kontoauszuge releve extracto
balance kontostand guthaben solde saldo
exchange currency wechselkurs wahrung devise moneda
limit limits maximum cap ceiling max most grenze hochstens maximal obergrenze plafond maximal limite maximo
minimum least min lowest mindestens minimum minimal minimo
weight weigh weighs heavy kg kilos gewicht wiegt schwer poids pese lourd peso pesa
biggest largest large big
size sizes large dimensions big width height length grosse gross masse breite hohe taille dimensions grand tamano medidas
colour color colours colors farbe farben couleur couleurs color colores
capacity passt passen fasst hold holds fit fits sleeps accommodate accommodates volume litres liters kapazitat fasst fassungsvermogen capacite contient capacidad
detergent soap powder softener waschmittel seife lessive detergente jabon
seat seats chairs chair platze sitzplatze sieges chaises sillas asientos
police cops officer polizei policia
fail fails failed failing flunk flunked retake resit repeat repeated retry attempt attempts durchgefallen wiederholen versuch rattrapage suspender
grade grades mark marks score scores note noten notas
stolen theft nicked pinched robbed burglary burgled break-in einbruch cambriolage
coins coin change munzen pieces monedas
cellar basement keller cave sotano
couch sofa furniture mobel meubles muebles
lock locked childproof kindersicherung sperre
plug socket charge charger charging charged electric steckdose prise enchufe
block blocked stuck clogged jam jammed verstopft bouche
load loads filling laundry beladung wasche fullmenge charge linge carga ropa
power watt watts wattage consumption electricity strom leistung stromverbrauch verbrauch puissance consommation potencia consumo
water wasser eau agua
noise noisy loud decibel decibels db quiet lautstarke laut leise bruit bruyant ruido
battery batteries charge charging range akku batterie reichweite laden autonomie autonomia bateria carga
range distance far reichweite entfernung distance autonomia distancia
clean cleaning cleaned wash washing rinse reinigen reinigung putzen saubern nettoyer nettoyage laver limpiar limpieza lavar
filter filters filtre filtro
descale descaling limescale scale entkalken kalk detartrer detartrage descalcificar
error errors fault code fehler fehlermeldung fehlercode erreur error
reset restart reboot zurucksetzen neustart reinitialiser redemarrer reiniciar restablecer
install installation set-up setup installieren einrichten installer instalar configurar
delete remove erase deletion loschen entfernen supprimer effacer eliminar borrar
export download save exportieren herunterladen exporter telecharger descargar exportar
import upload importieren hochladen importer subir importar
share sharing invite teilen einladen partager inviter compartir invitar
backup backups restore sicherung wiederherstellen sauvegarde restaurer copia restaurar
format formats type types kind
file files datei dateien fichier fichiers archivo archivos
team teams colleague colleagues coworkers staff employee employees mitarbeiter kollegen personal equipe employes equipo empleados
waste rubbish garbage trash bin bins refuse mull abfall tonne dechets poubelle poubelles basura residuos
recycling recycle recyclable recyclage reciclaje
collect collection collected pick-up pickup abholen abholung abgeholt collecte retirer recoger recogida
tax taxes steuer steuern abgabe impot impots taxe impuesto impuestos tasa
wedding marriage marry hochzeit heirat heiraten trauung mariage marier boda matrimonio casarse
birth newborn geburt geburtsurkunde naissance nacimiento
certificate certificates bescheinigung urkunde zeugnis certificat attestation acte certificado
move moving relocate relocation residence umzug umziehen ummelden wohnsitz demenager demenagement domicile mudarse mudanza domicilio
library bucherei bibliothek bibliotheque biblioteca
book books buch bucher livre livres libro libros
course courses class classes module lecture kurs kurse lehrveranstaltung cours curso cursos clase
exam exams examination test resit prufung prufungen klausur examen examens examenes
tuition fees studiengebuhren scolarite matricula
semester term trimester
scholarship scholarships grant grants bursary stipendium bourse beca
dormitory dorm accommodation housing hall residence unterkunft wohnheim logement residence alojamiento residencia
surgery operation procedure operieren eingriff operacion cirugia
vaccination vaccinations vaccine vaccinate jab shot impfung impfen vaccin vaccination vacuna vacunacion
prescription prescriptions prescribe medication medicine medicines drug drugs pills rezept medikament medikamente ordonnance medicament medicaments receta medicamento
blood-test blood lab laboratory bluttest blut labor sang analyse laboratoire sangre analisis
emergency urgent urgently out-of-hours notfall dringend urgence urgent emergencia urgente
checkup check-up examination untersuchung vorsorge consultation bilan revision chequeo
dentist dental teeth tooth zahnarzt zahn zahne dentiste dents dentista dientes
wait waiting queue warten wartezeit attente attendre espera esperar
result results findings befund befunde ergebnis ergebnisse resultat resultats resultado resultados
fast fasting empty-stomach sober nuchtern jeun ayunas
helmet helmets helm helme casque casques casco cascos
tyre tyres tire tires flat puncture tube reifen platten schlauch pneu pneus crevaison neumatico rueda pinchazo
brake brakes bremse bremsen frein freins freno frenos
chain kette chaine cadena
service servicing maintenance inspection tune-up wartung inspektion service revision entretien mantenimiento
test try trial ride probefahrt testen probieren ausprobieren essai essayer prueba probar
buy purchase order orders ordering bought kaufen kauf bestellen bestellung acheter achat commander commande comprar compra pedir pedido
sell sale sold verkaufen verkauf vendre vente vender venta
shop store shops branch branches outlet geschaft laden filiale magasin boutique agence tienda sucursal
stock available availability vorratig verfugbar lieferbar disponible disponibilite
age old years year alter jahre jahr ans edad anos
young teenager teenagers youth minor minors jugendliche jung jeune jeunes joven jovenes menor
wheelchair disabled disability accessible barrier-free accessibility step-free rollstuhl barrierefrei behindert behinderung handicap fauteuil accessible silla-de-ruedas accesible
lift elevator aufzug fahrstuhl ascenseur ascensor
smoke smoking smokers cigarette cigarettes rauchen raucher fumer fumeur fumar
bus train tram metro shuttle transport station taxi airport bahn zug bahnhof gare aeroport navette autobus tren estacion aeropuerto
airport flughafen aeroport aeropuerto
key keys schlussel cle cles clef llave llaves
safe locker lockers schliessfach tresor coffre casier caja taquilla
view balcony terrace aussicht blick balkon vue balcon terrasse vista terraza
kitchen kitchenette kuche cuisine cocina
bathroom badezimmer bad bano
bath bathtub tub wanne badewanne bain baignoire banera
shower dusche douche ducha
air-conditioning aircon aircondition climate klimaanlage klimatisiert climatisation climatise aire-acondicionado
heating heater heizung chauffage calefaccion
window windows fenster fenetre fenetres ventana ventanas
fire brand feuer incendie feu incendio fuego
flood flooding hochwasser uberschwemmung inondation inundacion
storm hail sturm hagel tempete grele tormenta granizo
travel trip journey holiday vacation reise urlaub reisen voyage vacances viaje vacaciones
household contents home hausrat haushalt habitation hogar
renew renewal renewed extend extension prolong verlangern verlangerung erneuern renouveler renouvellement prolonger renovar renovacion prorrogar
expire expires expiry valid validity gilt gelten gultig ablaufen gultigkeit expirer valable validite caducar valido validez
postpone pause suspend freeze pausieren unterbrechen suspendre pausar
automatic automatically automatisch automatiquement automaticamente
language languages english sprache sprachen langue langues idioma idiomas
vegetarian vegan vegetarisch vegetarien vegetariano vegano plant-based
allergy allergies allergic allergen allergens gluten allergie allergien allergique alergia alergenos
gift voucher vouchers present gutschein gutscheine geschenk cadeau bon regalo vale
online website web internet portal app digital site en-linea
group groups party parties gruppe gruppen groupe groupes grupo grupos
meeting conference seminar tagung besprechung reunion conferencia
work works job employment arbeit travail trabajo
help support assistance hilfe unterstutzung aide assistance ayuda soporte
begin begins start starts starting commence beginn beginnt anfangen commencer debut commence empezar empieza comienza inicio
end ends finish finishes until ende endet fin finir termine terminar acaba
maximum longest most maximal
annual annually yearly year per-annum jahrlich jahr annuel annuelle anual ano
monthly month per-month monatlich monat mensuel mensuelle mois mensual mes
weekly week wochentlich woche hebdomadaire semaine semanal semana
daily day per-day taglich tag quotidien jour diario dia
weekend weekends wochenende week-end fin-de-semana
holiday holidays bank-holiday feiertag feiertage ferie feries festivo festivos
morning morgens vormittag matin manana
evening abends abend soir soiree noche
today heute aujourd'hui hoy
deadline closing final
owner holder policyholder inhaber eigentumer titulaire proprietaire titular
boss head manager director leiter leitung chef directeur responsable jefe director
two-factor 2fa two-step authentication authenticator verification zweifaktor
track tracking status verfolgen sendungsverfolgung suivi seguimiento
packaging box parcel package packages paket verpackung colis emballage paquete
extra additional additionally supplement surcharge zusatzlich zuschlag aufpreis supplementaire supplement adicional suplemento
second another additional weitere zweite
replace replacement substitute exchange swap ersatz ersetzen austausch umtausch remplacer remplacement sustituir reemplazo
temperature degrees hot cold heat temperatur grad temperature degres temperatura grados
programme program cycle mode setting programm modus zyklus programme programa ciclo
time duration long takes last lasts dauer dauert duree dure duracion dura
`

/** Brings the endings of all four languages off, so that every form of a word need not be listed. */
function rootOf(stem: string): string {
  return stem.length < 6 ? stem : stem.replace(/(?:ungen|ung|en|er|es|em|e|n|a|o|as|os|s)$/, '')
}

const groupsByRoot = new Map<string, number[]>()
for (const [number, line] of `${groups.trim()}\n${everydayGroups.trim()}`.split('\n').entries()) {
  for (const word of line.split(' ')) {
    const root = rootOf(stemWord(word.replaceAll('-', '')))
    const known = groupsByRoot.get(root)
    if (known === undefined) groupsByRoot.set(root, [number])
    else if (!known.includes(number)) known.push(number)
  }
}

const none: readonly number[] = []

/** The groups of synonyms that a stem belongs to, as numbers. */
export function synonymGroupsOf(stem: string): readonly number[] {
  return groupsByRoot.get(rootOf(stem)) ?? none
}
