/**
 * Everyday words that ask for or say the same, in English, German, French and Spanish, without diacritics and hyphens: one group a
 * line. Only what may stand for one another belongs together: a question about dogs is not answered by a rule about cats, though
 * both are animals. What is general stands in the groups of what is special as well.
 */
export const everydayWords = `
price prices pricing cost costs fee fees charge charges charged tariff tariffs rate rates pay paid owe expensive cheap surcharge kosten kostet preis preise gebuhr gebuhren entgelt teuer zahlen bezahlen berechnen prix cout couts coute coutent couter frais payer tarif tarifs cher revient precio precios coste costo cuesta cuestan costar tarifa tarifas pagar cuota
free gratis complimentary included inclusive kostenlos kostenfrei umsonst gratuit gratuite gratuits gratuitement gratuito gratuita incluido incluida compris comprise inbegriffen enthalten
cheap cheaper cheapest discount discounts discounted reduced reduction concession concessions rebate rabatt ermassigt ermassigung nachlass remise reduction reduit descuento descuentos reducido rebaja
pay pays payment payments paid paying zahlen bezahlen bezahlt zahlung paiement payer regler pago pagar abonar
instalment instalments installment installments raten ratenzahlung mensualites plazos
invoice invoices bill bills billed receipt receipts rechnung rechnungen quittung beleg facture factures recu factura facturas recibo
refund refunds refunded reimburse reimbursed reimbursement repay repaid return returned erstattung erstatten erstattet ruckerstattung zuruckerstattet zuruckgezahlt rembourser rembourses remboursement rembourse reembolso reembolsar devolucion devolver devolvemos devuelven
deposit deposits downpayment prepayment kaution anzahlung caution acompte arrhes fianza deposito
penalty penalties fee strafe busse amende penalite multa penalizacion
cash coins bargeld especes efectivo
card cards bankcard creditcard karte karten kreditkarte kreditkarten bankkarte carte cartes tarjeta tarjetas
account accounts konto konten compte comptes cuenta cuentas
transfer transfers remittance wire uberweisung uberweisen virement transferencia
withdraw withdraws withdrawal withdrawals abheben abhebung retrait retirer retirar retirada
atm cashpoint machine machines geldautomat automat distributeur cajero
overdraft overdrawn overdraw uberziehung uberziehen dispo decouvert descubierto
interest yield yields zins zinsen zinssatz interet interets taux interes
loan loans borrow credit mortgage kredit darlehen pret credit prestamo
salary wage wages income earnings pay gehalt lohn einkommen salaire revenu salario sueldo nomina
limit limits maximum max cap ceiling most grenze hochstens maximal obergrenze plafond maximal limite maximo
minimum min least lowest mindestens minimal minimo
open opens opened opening hours offen geoffnet offnen offnet offnungszeiten aufmachen aufmacht ouvert ouverte ouverts ouvre ouvrent ouverture horaires abierto abierta abre abren apertura horario horarios
close closes closed closing shut shuts geschlossen schliessen schliesst zumachen zumacht ferme fermes fermee ferment fermeture cierra cierran cerrado cerrada cierre
begin begins beginning start starts starting commence leave leaves depart departs beginn beginnt beginnen anfangen anfang startet debut commence commencent commencer depart empezar empieza comienza inicio
end ends ending finish finishes until ende endet enden bis fin finit termine acaba termina terminar
deadline due latest until before cutoff lastday frist spatestens bis delai limite plazo hasta
early earliest fruh fruhestens tot temprano
late later delayed delay overdue retard tard tarde spat spater verspatet verspatung retardataires retraso
morning mornings morgens vormittag vormittags matin matinee manana
evening evenings abend abends soir soiree noche
night nights overnight nightly nacht nachts nachte ubernachtung nuit nuits noche noches
hour hours hourly stunde stunden stundlich heure heures horaire hora horas
day days daily tag tage taglich jour jours quotidien dia dias diario
week weeks weekly woche wochen wochentlich semaine semaines hebdomadaire semana semanas semanal
month months monthly monat monate monatlich mois mensuel mensuelle mes meses mensual
year years yearly annual annually jahr jahre jahrlich an ans annee annees annuel annuelle ano anos anual
weekend weekends wochenende wochenenden weekends finde
holiday holidays bankholiday publicholiday feiertag feiertage ferie feries festivo festivos
vacation vacations holiday holidays urlaub ferien vacances vacaciones
duration long takes lasts last dauer dauert dauern duree dure durent duracion dura duran tarda
soon quickly fast rapidly schnell rasch vite rapidement rapido pronto
address located location directions situated find adresse anschrift standort lage liegt befindet situe situee trouve trouver direccion ubicado ubicacion encuentra estamos
phone phones telephone call calls calling ring dial hotline reach telefon telefonnummer telefonisch anrufen anruf rufe rufen erreichen erreichbar rufnummer notdienst telephone appeler appel joindre telefono llamar llamada contactar
mobile mobiles cellphone smartphone smartphones handset handy handys portable movil moviles
email mail emails mailadresse courriel correo
contact contacts reach kontakt kontaktieren contacter joindre contactar contacto
help support assistance hilfe unterstutzung aide ayuda soporte
deliver delivers delivery deliveries delivered ship ships shipping shipment shipped lieferung liefern liefert geliefert zustellung versand livraison livrer livre livrez entrega entregar envio enviar envian
parcel parcels package packages paket pakete colis paquete paquetes
letter letters post mail mailing brief briefe post courrier lettre carta cartas correo
book booking bookings booked reserve reserved reservation reservations buchen bucht buchung reservieren reservierung reserver reservation reservar reserva
appointment appointments slot termin termine vereinbarung rendezvous cita citas
cancel cancels cancelled canceled cancelling cancellation cancellations calloff stornieren stornierung absagen absage annuler annulation cancelar cancelo cancelacion anular
terminate terminates termination notice quit end ends ending leave cancel kundigen kundigung kundigungsfrist resilier resiliation rescindir baja
postpone pause suspend freeze reschedule verschieben pausieren unterbrechen suspendre reporter aplazar pausar
change changes changed exchange swap switch modify alter rebook andern anderung wechseln wechsel tauschen umtausch umbuchen modifier changer changement echanger echanges cambiar cambio modificar
replace replaced replacement substitute ersatz ersetzen austausch remplacer remplacement sustituir reemplazo
return returns returned sendback zuruckgeben ruckgabe zurucksenden rendre retour retourner reprendre repris devolver devolucion
renew renewal renewed extend extended extension verlangern verlangerung renouveler renouvellement prolonger renovar renovacion prorrogar
expire expires expired expiry valid validity runout gultig gultigkeit ablaufen ablauft gilt gelten expirer expire valable validite caducar caduca valido validos validez vale
buy bought purchase order orders ordered ordering sold sell sells kaufen kauf bestellen bestellung verkaufen verkauft acheter achat achetent commander commande vendre vend vendez comprar compra pedir pedido vender vende venden
sell sells sold sale sales verkaufen verkauf vendre vente vender venta
rent rents rented rental rentals renting hire hired hiring lend lent borrow mieten miete vermieten verleih leihen ausleihen louer location loue pretes emprunter alquilar alquiler prestamo
voucher vouchers giftcard gift gutschein gutscheine bon cadeau vale vales regalo
shop shops store stores branch branches outlet office geschaft laden filiale magasin boutique agence tienda sucursal oficina
available availability stock left vorratig verfugbar lieferbar frei disponible disponibles disponibilite disponibilidad
warranty guarantee guarantees guaranteed garantie gewahrleistung garantia
repair repairs repaired fix fixed fixing mend mended mending reparatur reparieren repariert reparation reparer reparar reparacion arreglar
maintenance service servicing inspection checkup overhaul wartung inspektion entretien revision mantenimiento
broken break breaks damage damages damaged defect defective faulty fault malfunction kaputt defekt beschadigt schaden endommage casse panne dommage roto danado averia danos
lost lose loses losing loss misplaced verloren verlieren verlust perdu perdre perte perdido perder perdida
stolen steal theft thief nicked robbed burglary burgled brokeninto breakin gestohlen diebstahl einbruch vole vol cambriolage robado robo
police cops officer polizei policia
insurance insured insure insures cover covers covered coverage policy versicherung versichert deckt gedeckt assurance assure couvert couvre couverture police poliza seguro asegurado cubre cubierto cobertura
claim claims claiming schadensfall schadensmeldung sinistre declarer siniestro reclamacion
report reports reported notify notice tell inform melden meldung meldet signaler declarer declaration avisar avisas avisa notificar informar
deductible excess ownshare selbstbehalt selbstbeteiligung franchise franquicia
complaint complaints complain beschwerde reklamation beschweren reclamation plainte queja reclamacion
document documents paperwork papers dokument dokumente unterlagen papiere papiers documento documentos
passport passports pass reisepass passeport pasaporte
identity identification identitycard idcard ausweis personalausweis identite identidad dni
certificate certificates attestation bescheinigung urkunde zeugnis nachweis certificat attestation acte certificado
form forms formular antrag formulaire formulario impreso
apply applies applying application applications applicant beantragen beantrage antrag bewerben bewerbung demande demander candidature postuler solicitar solicitud
register registers registered registration enrol enroll enrolment signup signin join anmelden anmeldung registrieren eintragen inscription inscrire inscriptions inscripcion inscribirse registro apuntarse
permit permits licence license licences genehmigung erlaubnis bewilligung ausweis permis autorisation permiso licencia
allow allows allowed permitted may permission accept accepts accepted welcome erlaubt gestattet durfen zulassig zugelassen autorise autorises permis admis accepte acceptez permitido permiten admiten aceptan
forbidden prohibited banned notallowed verboten untersagt interdit interdite prohibido
require requires required necessary needed mandatory compulsory bring notig notwendig erforderlich mitbringen mitzubringen necessaire obligatoire apporter necesario obligatorio traer
experience experienced beginner beginners novice anfanger erfahrung debutant debutants experience principiante principiantes experiencia
member members membership mitglied mitglieder mitgliedschaft membre adherent adhesion socio socios miembro
subscription subscriptions subscribe plan plans abo abonnement abonnements abonnement forfait suscripcion abono
contract contracts term commitment bound tied vertrag vertrage laufzeit bindung mindestlaufzeit contrat engagement contrato permanencia
customer customers client clients kunde kunden kundschaft client cliente clientes
guest guests visitor visitors gast gaste besucher visiteur visiteurs invite invites huesped huespedes invitado visitante visitantes
people persons person personen leute personnes gens personas gente plazas
group groups party parties gruppe gruppen groupe groupes grupo grupos
child children kid kids girl boy son daughter toddler minor minors kind kinder sohn tochter enfant enfants fils fille nino ninos nina ninas hijo hija hijos menores
baby babies newborn infant saugling bebe bebes
teenager teenagers teen youth young jugendliche jugend jung jeune jeunes joven jovenes
adult adults grownup grownups erwachsene erwachsener adulte adultes adulto adultos
senior seniors pensioner pensioners elderly retired rentner senioren retraite retraites jubilado jubilados mayores
student students undergraduate studierende studenten student etudiant etudiants estudiante estudiantes
parent parents mother father mum dad eltern mutter vater mere pere padres madre padre
family families familie familien famille familles familia familias
partner spouse husband wife couple ehepartner ehemann ehefrau conjoint mari femme pareja marido esposa
age aged old older years alter alt jahre age ans edad anos
name names called heisst nom appelle nombre llama
teacher teachers instructor trainer coach tutor lehrer lehrerin trainer professeur prof moniteur profesor profesora monitor
manager director boss head leiter leiterin leitung chef directeur responsable jefe director
staff employee employees personnel colleague colleagues coworker coworkers teammate mitarbeiter personal kollegen employe employes collegue empleado empleados companero
company companies firm business employer firma unternehmen betrieb entreprise societe empresa
doctor doctors physician physicians gp arzt arztin arzte medecin medecins docteur medico medicos
vet vets veterinarian tierarzt tierarztin veterinaire veterinario
hospital clinic krankenhaus klinik hopital clinique hospital clinica
sick ill illness unwell disease krank krankheit malade maladie enfermo enfermedad
pain painful hurt hurts ache schmerz schmerzen douleur dolor duele
medicine medicines medication drug drugs pill pills medikament medikamente tabletten medicament medicaments comprime medicamento medicamentos pastilla
prescription prescriptions rezept rezepte ordonnance receta recetas
vaccination vaccinations vaccine vaccinate vaccinated jab jabs shot shots inoculation impfung impfungen impfen geimpft vaccin vaccination vacciner vacuna vacunacion vacunar
blood blut sang sangre
emergency emergencies urgent urgently outofhours notfall notfalle notdienst dringend urgence urgences urgent urgencia urgente emergencia
fasting sober nuchtern jeun ayunas
dentist dental tooth teeth zahnarzt zahn zahne dentiste dent dents dentista diente dientes
pregnant pregnancy schwanger schwangerschaft enceinte grossesse embarazada embarazo
allergy allergies allergic intolerance allergie allergien allergisch allergique alergia alergico
castrate castrated castration neuter neutered spay spayed kastrieren kastriert kastration castrer castration castrar castracion
dog dogs puppy puppies labrador terrier poodle hund hunde hundes welpe welpen chien chiens chiot perro perros cachorro
cat cats kitten kittens tomcat katze katzen kater katers chaton gato gatos gata
pet pets animal animals haustier haustiere tier tiere animaux mascota mascotas
park parks parking parked carpark garage parkplatz parkplatze parken parkhaus tiefgarage stellplatz stationner stationnement parking garer aparcar aparcamiento estacionamiento
car cars vehicle vehicles auto autos fahrzeug fahrzeuge pkw wagen voiture voitures vehicule coche coches vehiculo
charge charges charging charger chargers plug recharge recharging laden aufladen ladestation recharge recharger borne carga cargar enchufe
bike bikes bicycle bicycles cycle cycles rad fahrrad fahrrader rader velo velos bicyclette bicicleta bicicletas bici
train trains railway zug zuge bahn train tren trenes
station bahnhof gare estacion
bus buses coach autobus bus buses
tram trams streetcar strassenbahn tramway tram tranvia
metro underground subway ubahn metro
airport airports flughafen aeroport aeropuerto
shuttle shuttles pickup navette traslado
trip trips tour tours excursion excursions outing ausflug ausfluge fuhrung fuhrungen visite visites sortie excursion visita visitas
travel travelling journey reise reisen voyage voyages viaje viajes
abroad foreign overseas international ausland etranger extranjero
luggage baggage suitcase suitcases bag bags gepack koffer bagage bagages valise valises equipaje maleta maletas
locker lockers schliessfach schliessfacher spind casier casiers consigne taquilla taquillas
key keys fob schlussel cle cles clef llave llaves
room rooms zimmer chambre chambres habitacion habitaciones cuarto
bed beds bett betten lit lits cama camas
arrive arrives arrival arrivals checkin anreise ankunft ankommen arrivee arriver llegada llegar
depart departure checkout leave abreise abfahrt depart partir salida salir
breakfast fruhstuck petitdejeuner desayuno
lunch mittagessen dejeuner midi almuerzo comida
dinner supper abendessen diner cena
eat eats eaten eating meal meals food foods snack snacks picnic essen esse fressen mahlzeit manger repas nourriture comer comida comidas
restaurant restaurants dining gaststatte restaurante comedor
bar pub cafe cafeteria bistro kaffeehaus cafeteria
drink drinks beverage beverages getrank getranke trinken boire boisson boissons beber bebida bebidas
water wasser eau agua
vegetarian vegan meatless vegetarisch vegetarien vegetarienne vegan vegetariano vegetariana vegano vegana
kitchen kitchenette kuche cuisine cocina
fridge refrigerator kuhlschrank frigo refrigerateur nevera frigorifico
pool pools swim swims swimming schwimmbad schwimmbecken becken schwimmen piscine nager baignade piscina nadar
sauna saunas steam hammam
gym gyms fitness workout fitnessraum gymnase gimnasio
wellness spa
towel towels handtuch handtucher serviette serviettes toalla toallas
shower showers dusche duschen douche douches ducha duchas
bath bathtub tub badewanne wanne baignoire banera
toilet toilets restroom restrooms toilette toiletten wc toilettes aseo aseos bano
wheelchair wheelchairs disabled disability accessible accessibility stepfree barrierfree barrierefrei rollstuhl behindert behinderung fauteuil fauteuils roulant handicap handicape accessible silla ruedas discapacidad accesible
lift elevator aufzug fahrstuhl ascenseur ascensor
stairs steps stairway treppe stufen escalier marches escalera escaleras
smoke smokes smoking smoker smokers cigarette cigarettes rauchen raucher fumer fumeur fumar
wifi wlan wireless internet
password passwords passcode passphrase passwort kennwort schlussel key motdepasse contrasena clave
login signin logon anmelden einloggen connexion connecter acceder sesion
reset restart reboot resetting setback factory zurucksetzen neustart reinitialiser reinitialisation redemarrer reiniciar restablecer
delete deletes deleted deletion remove removes removed erase loschen entfernen supprimer suppression effacer eliminar borrar
install installed installation setup mount mounted assemble einrichten installieren montieren montage installer monter instalar montar
update updates updated upgrade upgrades aktualisieren aktualisierung mettreajour actualizar actualizacion
connect connects connected connection verbinden verbindung anschliessen anschluss connecter connexion raccorder conectar conexion
error errors fault code message fehler fehlermeldung erreur message error mensaje
blink blinks blinking flash flashes flashing pulse pulses blinken blinkt clignote clignoter parpadea parpadear
lamp lamps light lights led ring lampe licht leuchte lumiere voyant luz luces
button buttons key keys press push hold taste tasten knopf drucken touche touches bouton appuyer tecla boton pulsar
lock locks locked childproof childlock sperre kindersicherung sperren verrouiller verrouillage bloquear bloqueo
block blocked blocks clogged stuck jammed verstopft klemmt bouche bloque coince atascado
leak leaks leaking drips undicht tropft lauft fuite coule fuga gotea
noise noises noisy loud decibel decibels quiet larm laut leise lautstarke bruit bruyant ruido ruidoso
power electricity watt watts wattage consumption consume consumes consumed strom leistung stromverbrauch verbrauch verbraucht electricite puissance consommation consomme potencia consumo electricidad luz
battery batteries akku batterie batterien pile bateria
range distance far reichweite entfernung distance autonomie portee alcance distancia autonomia
speed fast mbps mbits geschwindigkeit schnell tempo vitesse rapide debit velocidad rapido
weigh weighs weight weights heavy heaviest kilo kilos kg gewicht wiegt wiegen schwer poids pese peser lourd peso pesa pesar pesado
big bigger biggest large larger largest gross grosser grosste grand grande grandes
small smaller smallest little klein kleiner kleinste petit petite pequeno pequena
size sizes large dimensions big width height length tall wide high deep grosse gross masse breite hohe lange tiefe taille tailles dimensions grand largeur hauteur tamano medidas talla ancho alto
tall height high inches hohe hoch hauteur haut altura alto
wide width breite breit largeur large ancho anchura
deep depth tiefe tief profondeur profond profundidad profundo profunda
colour colours color colors farbe farben couleur couleurs color colores
capacity hold holds fit fits sleeps seats seat accommodate accommodates volume capacite contient contenance fasst passt passen fassungsvermogen kapazitat capacidad cabe caben
temperature temperatures degrees hot warm cold temperatur grad warm heiss kalt temperature degres chaud froid temperatura grados caliente frio
clean cleans cleaned cleaning wash washes washing rinse reinigen reinigung putzen saubern spulen waschen nettoyer nettoyage laver limpiar limpieza lavar
laundry clothes wasche kleidung linge lessive vetements ropa
detergent powder softener soap waschmittel seife lessive savon detergente jabon
filter filters filtre filtres filtro filtros
descale descaling limescale scale entkalken entkalkung entkalker kalk detartrer detartrage descalcificar cal
file files datei dateien fichier fichiers archivo archivos
format formats type types kind kinds art typ
export exports download downloads save saves exportieren herunterladen speichern exporter telecharger enregistrer exportar descargar guardar
import imports upload uploads importieren hochladen importer importar subir
backup backups restore sicherung sicherungskopie wiederherstellen sauvegarde restaurer copia restaurar
print prints printing printed printer copies drucken drucker kopien imprimer imprimante imprimir impresora
offline noconnection withoutinternet
data gb gigabyte gigabytes volume allowance datenvolumen daten donnees datos gigas
sms text texts texting nachricht nachrichten mensajes
signal reception coverage network outage empfang netz reseau couverture cobertura senal
tuition fees studiengebuhr studiengebuhren scolarite matricula
scholarship scholarships grant grants bursary stipendium bourse bourses beca becas
dormitory dorm dorms accommodation residence halls unterkunft wohnheim logement residence alojamiento residencia
exam exams examination examinations test paper prufung prufungen klausur examen examens examen examenes
fail fails failed failing flunk flunked durchgefallen echouer echec suspender suspenso
repeat repeats repeated retake retakes resit attempt attempts wiederholen wiederholung versuch repasser rattrapage repetir intento
grade grades mark marks score scores note noten notas
semester semesters term terms trimester semestre trimestre
course courses class classes lesson lessons lecture kurs kurse unterricht stunde cours lecon curso cursos clase clases
absent absence absences miss misses missed noshow skip fehlen versaumen verpassen manquer absence absent faltar falta perder
internship placement praktikum stage practicas
wedding marry marriage hochzeit heiraten heirat trauung mariage marier boda casarse matrimonio
move moving moved relocate relocation umzug umziehen ummelden demenager demenagement mudarse mudanza
tax taxes steuer steuern abgabe impot impots taxe impuesto impuestos tasa
waste rubbish garbage trash refuse bin bins mull abfall tonne dechets poubelle ordures basura residuos
recycling recycle recyclable wiederverwertung recyclage recycler reciclaje reciclar
collect collects collected collection pickup abholen abgeholt abholung retirer collecte recoger recogida
ticket tickets entry entrance admission eintritt eintrittskarte karten billet billets entree entrada entradas boleto
seat seats chair chairs platz platze sitz sitzplatz sieges siege asiento asientos butaca
language languages speak speaks spoken english sprache sprachen sprechen langue langues parler parlez idioma idiomas hablar hablan
show shows performance concert vorstellung auffuhrung spectacle spectacles representation funcion espectaculo concierto
exhibition exhibitions exhibit exhibits ausstellung exposition exposicion
weather wind windy rain rainy storm stormy wetter sturm regen meteo vent pluie tempete clima tiempo viento lluvia
fire feuer brand incendie feu incendio fuego
flood floods flooding hochwasser uberschwemmung inondation inundacion
tent tents zelt zelte tente tentes tienda carpa
camper motorhome campervan wohnmobil campingcar autocaravana
caravan caravans wohnwagen caravane caravanes caravana
pitch pitches stellplatz emplacement emplacements parcela parcelas
beach beaches strand strande plage plages playa playas
balcony balconies terrace balkon terrasse balcon balcons balcon terraza
view views outlook aussicht blick vue vues vista vistas
tyre tyres tire tires puncture reifen platten pneu pneus crevaison neumatico pinchazo
brake brakes bremse bremsen frein freins freno frenos
helmet helmets helm helme casque casques casco cascos
wardrobe cloakroom coats garderobe vestiaire guardarropa
extra additional additionally further supplement another zusatzlich weitere zuschlag aufpreis supplement supplementaire adicional suplemento
meeting meetings conference besprechung tagung konferenz reunion reunions conference reunion
space spaces platz platze espacio espacios sitio
online website web internet portal
`

/** Whoever asks for the general is answered by the special, but not the other way round: "pets > dogs". One pair of lists a line. */
export const generalWords = `
pet pets animal animals haustier haustiere tier tiere animaux mascota mascotas > dog cat hund katze chien chat perro gato
vehicle vehicles fahrzeug vehicule vehiculo > car bike camper auto fahrrad voiture coche
meal meals essen mahlzeit repas comida > breakfast lunch dinner fruhstuck mittagessen abendessen dejeuner desayuno cena
family families familie famille familia > child parent kind enfant hijo
people person guests personen gaste personnes personas > adult child erwachsene kinder adulte enfants adultos ninos
pay payment zahlen bezahlen payer paiement pagar pago > cash card invoice bargeld karte rechnung especes carte facture efectivo tarjeta factura
transport verkehrsmittel transports transporte > bus tram train metro strassenbahn zug autobus tren
sport sports > swim gym bike schwimmen nager nadar
`
