/** Health, education, work, seasons and everyday life, in the format of `service-words.ts`. */
export const LIFE_WORDS = `
  doctor physician gp practice surgery practitioner medic | arzt ärztin praxis hausarzt | médecin docteur cabinet |
    médico doctor consulta | medico dottore ambulatorio | arts dokter huisarts praktijk ;
  dentist tooth teeth dental | zahnarzt zahn zähne | dentiste dent | dentista diente muela | dentista dente |
    tandarts tand tanden ;
  medicine medication drug pill tablet prescription pharmacy repeat reorder | medikament arznei tablette rezept
    apotheke | médicament ordonnance comprimé pharmacie | medicamento medicina receta pastilla farmacia | farmaco
    medicina ricetta pastiglia farmacia | medicijn geneesmiddel recept apotheek pil ;
  vaccine vaccination jab shot injection immunisation vaccinate inoculation booster | impfung impfen impfstoff
    spritze | vaccin vaccination vacciner piqûre | vacuna vacunación vacunar inyección | vaccino vaccinazione
    vaccinare iniezione | vaccinatie inenting vaccin prik ;
  blood sample test draw laboratory lab | blut blutabnahme probe labor | sang prise analyse laboratoire | sangre
    análisis muestra laboratorio | sangue prelievo analisi laboratorio | bloed bloedafname onderzoek laboratorium ;
  examination exam test checkup screening scan x-ray mri | untersuchung röntgen test vorsorge mrt | examen test
    dépistage radiographie irm | examen prueba revisión radiografía | esame controllo radiografia | onderzoek test
    röntgen ;
  fast fasting sober eat empty-stomach before | nüchtern fasten essen | jeun jeûne manger | ayunas ayuno | digiuno |
    nuchter ;
  ill sick illness disease sickness unwell | krank krankheit erkrankt | malade maladie | enfermo enfermedad | malato
    malattia | ziek ziekte ;
  pain painkiller ache hurt | schmerz schmerzmittel schmerzen | douleur mal antidouleur | dolor analgésico | dolore
    antidolorifico | pijn pijnstiller ;
  hospital clinic ward surgery operation | krankenhaus klinik operation station | hôpital clinique opération |
    hospital clínica operación | ospedale clinica operazione | ziekenhuis kliniek operatie ;
  pregnant pregnancy birth maternity expecting | schwanger schwangerschaft geburt | enceinte grossesse naissance |
    embarazada embarazo nacimiento | incinta gravidanza nascita | zwanger zwangerschaft zwangerschap geboorte ;
  marry marriage wedding register-office | heiraten heirat hochzeit eheschließung trauung | marier mariage noces |
    casarse boda matrimonio | sposarsi matrimonio nozze | trouwen huwelijk bruiloft ;
  study degree course programme studies bachelor master university college | studium studieren studiengang bachelor
    master universität | études étudier cursus diplôme université | estudios estudiar carrera grado máster
    universidad | studi studiare corso laurea università | studie studeren opleiding universiteit ;
  tuition fees fee grant scholarship bursary | studiengebühr stipendium gebühren | scolarité bourse droits |
    matrícula beca tasas | retta borsa tasse | collegegeld beurs ;
  grade mark marks result score qualification | note zensur ergebnis abschluss | note résultat moyenne | nota
    calificación resultado | voto risultato | cijfer resultaat ;
  exam examination test paper attempt resit repeat fail failed flunk | prüfung klausur versuch wiederholen
    durchgefallen | examen épreuve rattrapage échouer tentative | examen prueba intento suspender repetir | esame
    prova tentativo bocciare ripetere | examen tentamen herkansing poging gezakt ;
  placement internship work-placement company practical | praktikum betrieb praxissemester firma | stage entreprise
    | prácticas empresa | tirocinio stage azienda | stage bedrijf ;
  place spot admission vacancy quota accept | platz studienplatz zulassung aufnahme | place admission | plaza
    admisión | posto ammissione | plaats toelating ;
  language english speak level proficiency | sprache sprachkenntnisse niveau | langue parler niveau | idioma hablar
    nivel | lingua parlare livello | taal spreken niveau ;
  job work employment career vacancy hire apply | arbeit job stelle beruf karriere | emploi travail poste carrière |
    empleo trabajo puesto | lavoro impiego posto | baan werk vacature ;
  company firm business employer enterprise | firma unternehmen betrieb arbeitgeber | entreprise société employeur |
    empresa compañía negocio | azienda società impresa | bedrijf onderneming werkgever ;
  staff employee team colleague personnel | personal mitarbeiter team angestellte | personnel employé équipe |
    personal empleado equipo | personale dipendente | personeel medewerker ;
  complain complaint dissatisfied feedback | beschwerde reklamation beschweren | réclamation plainte plaindre |
    queja reclamación quejarse | reclamo lamentela | klacht klagen reclamatie ;
  rubbish waste garbage trash bin recycling compost litter organic | müll abfall tonne recycling kompost biomüll
    sperrmüll kompostierbar | déchets ordures poubelle recyclage compost | basura residuos reciclaje | rifiuti
    spazzatura riciclo | afval vuilnis recycling ;
  rent rental hire lease borrow tenant | mieten miete leihen verleih ausleihen mieter | louer location emprunter
    locataire | alquilar alquiler arrendar | noleggiare affitto noleggio | huren huur verhuur lenen ;
  tent caravan camper camping pitch motorhome campsite | zelt wohnwagen wohnmobil camping stellplatz | tente
    caravane camping emplacement camping-car | tienda caravana camping parcela autocaravana | tenda roulotte
    campeggio camper piazzola | tent caravan camping camper plaats ;
  beach sea coast shore ocean lake | strand meer küste see | plage mer côte lac | playa mar costa lago | spiaggia
    mare costa lago | strand zee kust meer ;
  tyre tire puncture wheel flat | reifen platten rad panne | pneu crevaison roue | neumático pinchazo rueda | gomma
    foratura ruota | band lek wiel ;
  brake brakes stop gear gears chain | bremse bremsen schaltung gang kette | frein vitesse chaîne | freno marcha
    cadena | freno marcia catena | rem versnelling ketting ;
  workshop garage mechanic service repair | werkstatt mechaniker | atelier garage mécanicien | taller mecánico |
    officina meccanico | werkplaats monteur ;
  spare part accessory replacement component | ersatzteil zubehör | pièce accessoire rechange | recambio accesorio
    repuesto | ricambio accessorio | onderdeel accessoire ;
  ride rider drive driver passenger | fahren fahrer mitfahrer beifahrer | conduire conducteur passager | conducir
    conductor pasajero | guidare guidatore passeggero | rijden bestuurder passagier ;
  age old years minimum young birthday | alter alt jahre mindestalter | âge ans vieux | edad años viejo | età anni
    vecchio | leeftijd oud jaren ;
  weekend saturday sunday | wochenende samstag sonntag | week-end samedi dimanche | sábado domingo | sabato domenica
    weekend | weekend zaterdag zondag ;
  holiday bank-holiday vacation christmas easter festive | feiertag urlaub ferien weihnachten ostern | férié
    vacances noël pâques | festivo vacaciones navidad pascua | festivo vacanza natale pasqua | feestdag vakantie
    kerst pasen ;
  season summer winter spring autumn month months | saison sommer winter monat | saison été hiver mois | temporada
    verano invierno mes | stagione estate inverno mese | seizoen zomer winter maand ;
  daily day every everyday | täglich tag | quotidien jour | diario día | quotidiano giorno | dagelijks dag ;
  yearly annual year annually | jährlich jahr | annuel an année | anual año | annuale anno | jaarlijks jaar ;
  monthly month | monatlich monat | mensuel mois | mensual mes | mensile mese | maandelijks maand ;
  night late midnight after-hours evening | nacht spät nachts abend abends | nuit tard soir soirée | noche tarde |
    notte tardi sera | nacht laat avond ;
  early morning earliest | früh morgens morgen frühestens | tôt matin matinée | temprano mañana pronto | presto
    mattina | vroeg ochtend ;
  bonus gift reward loyalty points present | bonus prämie geschenk punkte treue | bonus cadeau fidélité points prime
    | bono regalo puntos fidelidad | bonus regalo punti fedeltà | bonus cadeau punten ;
  number keep port take-along existing | rufnummer mitnehmen nummer portieren | numéro conserver portabilité |
    número conservar portabilidad | numero mantenere portabilità | nummer behouden meenemen ;
  sim esim card chip | sim karte esim | sim carte puce | sim tarjeta chip | sim scheda | sim kaart ;
  tablet watch device devices second additional extra further | tablet uhr gerät zusätzlich weitere | tablette
    montre appareil supplémentaire | tableta reloj dispositivo adicional | tablet orologio dispositivo aggiuntivo |
    tablet horloge toestel extra ;
  extra additional further supplement surcharge more add added | zusätzlich weitere zuschlag extra aufpreis |
    supplément supplémentaire extra ajouter | suplemento adicional extra añadir | supplemento aggiuntivo extra |
    toeslag extra aanvullend ;
  exhaust exhausted used-up consumed throttled slowed | aufgebraucht verbraucht gedrosselt | épuisé consommé ralenti
    | agotado consumido | esaurito consumato | opgebruikt verbruikt ;
  bounce returned rejected declined refused | abgelehnt zurückgewiesen verweigert | refusé rejeté | rechazado
    denegado | rifiutato respinto | geweigerd afgewezen ;
  deposit down-payment prepayment advance security | anzahlung kaution vorauszahlung | acompte caution arrhes |
    depósito fianza anticipo | caparra acconto deposito | aanbetaling borg ;
  confirm confirmation verify verification | bestätigen bestätigung | confirmer confirmation vérifier | confirmar
    confirmación verificar | confermare conferma verificare | bevestigen bevestiging ;
  wait waiting queue waiting-time | warten wartezeit schlange | attendre attente file | esperar espera cola |
    attendere attesa coda | wachten wachttijd rij ;
  clothes clothing dress wear shoe shoes outfit nightwear | kleidung tragen schuhe anziehen | vêtements porter
    chaussures tenue | ropa llevar zapatos vestir | vestiti indossare scarpe | kleding dragen schoenen ;
  toilet restroom bathroom shower washroom wc sanitary | toilette wc bad dusche sanitär | toilettes sanitaires
    douche | baño aseo ducha servicios | bagno doccia servizi | toilet douche badkamer ;
  garden outside outdoor terrace balcony patio | garten draußen terrasse balkon | jardin extérieur terrasse balcon |
    jardín exterior terraza balcón | giardino esterno terrazza balcone | tuin buiten terras balkon ;
  view sea-view panorama overlook | aussicht blick meerblick | vue panorama | vista panorama | vista panorama |
    uitzicht ;
  ground-floor floor storey level | etage stock stockwerk erdgeschoss | étage rez | planta piso | piano | verdieping
    begane ;
  music band concert entertainment show | musik konzert unterhaltung | musique concert spectacle | música concierto
    espectáculo | musica concerto spettacolo | muziek concert show ;
  recipe ingredient contain contains made material consist | zutat enthält bestandteil material bestehen |
    ingrédient contenir matière | ingrediente contiene material | ingrediente contiene materiale | ingrediënt bevat
    materiaal ;
  environment sustainable organic green eco | umwelt nachhaltig bio öko | environnement durable bio | medioambiente
    sostenible ecológico | ambiente sostenibile biologico | milieu duurzaam biologisch ;
  hotel house inn hostel | hotel haus herberge | hôtel maison auberge | hotel casa hostal | hotel casa ostello |
    hotel huis herberg ;
  surfboard board ski equipment sport gear | ausrüstung sportgerät | équipement matériel | equipo material
    equipamiento | attrezzatura | uitrusting ;
  jewellery valuables money cash precious | schmuck wertsachen bargeld | bijoux valeur objets | joyas objetos valor
    | gioielli oggetti valore | sieraden waardevol ;
  flat apartment home house household contents | wohnung haus hausrat haushalt | appartement maison logement | piso
    casa vivienda hogar | appartamento casa abitazione | woning huis appartement ;
  cellar basement attic storage | keller dachboden | cave sous-sol grenier | sótano bodega | cantina soffitta |
    kelder zolder ;
  inherit death die deceased widow funeral | tod sterben verstorben erbe bestattung | décès mort héritage | muerte
    fallecimiento herencia | morte decesso eredità | dood overlijden erfenis ;
  authorise proxy representative behalf somebody | vollmacht bevollmächtigt vertreter | procuration mandataire |
    poder autorización representante | delega procura | machtiging volmacht ;
  language translation interpreter translate | übersetzung dolmetscher übersetzen | traduction interprète |
    traducción intérprete | traduzione interprete | vertaling tolk ;
`

/** People, travel, lodging and shopping, in the format of `service-words.ts`. */
export const VISIT_WORDS = `
  baby child kid toddler children infant boy girl son daughter junior | kind kinder baby kleinkind tochter sohn
    junge mädchen | enfant bébé fils fille garçon | niño niña bebé hijo hija infantil | bambino bambina neonato
    figlio figlia | kind kinderen baby peuter zoon dochter ;
  adult grown-up parent guardian | erwachsener eltern elternteil | adulte parent | adulto padre madre | adulto
    genitore | volwassene ouder ;
  family relative wife husband partner spouse girlfriend boyfriend | familie partner ehefrau ehemann angehörige |
    famille conjoint mari femme partenaire | familia pareja marido mujer esposo | famiglia partner marito moglie |
    gezin familie partner man vrouw ;
  senior pensioner elderly retired old age | senior rentner rentnerin älter alter | senior retraité âgé | mayor
    jubilado anciano | anziano pensionato | senior gepensioneerd oudere ;
  student pupil learner trainee apprentice | student studierende schüler azubi auszubildende | étudiant élève
    apprenti | estudiante alumno aprendiz | studente allievo | student leerling ;
  dog pet puppy animal cat | hund haustier tier katze welpe vierbeiner | chien animal chat chiot | perro mascota
    animal gato cachorro | cane animale gatto cucciolo | hond huisdier dier kat puppy ;
  car park parking garage vehicle automobile drive space | auto parken parkplatz garage fahrzeug pkw tiefgarage
    stellplatz parkausweis abstellen | voiture parking garer stationnement garage véhicule | coche aparcar
    aparcamiento parking garaje vehículo | auto parcheggio parcheggiare garage macchina veicolo | auto parkeren
    parkeerplaats garage voertuig ;
  electric charge charging plug socket ev charger e-car battery | laden aufladen ladestation ladepunkt steckdose
    elektrisch elektroauto akku | recharger recharge borne électrique prise batterie | cargar recarga enchufe
    eléctrico batería cargador | ricaricare ricarica presa elettrico batteria | opladen laadpaal stopcontact
    elektrisch accu ;
  battery range charge distance far accu | akku batterie reichweite | batterie autonomie | batería autonomía alcance
    | batteria autonomia | accu batterij bereik ;
  bike bicycle cycle cycling | fahrrad rad radfahren | vélo bicyclette cycliste | bicicleta bici | bicicletta bici |
    fiets fietsen ;
  bus train tram metro station stop transport underground | bus bahn zug haltestelle bahnhof straßenbahn nahverkehr
    u-bahn | bus train tram métro gare arrêt transport | autobús tren tranvía metro estación parada transporte |
    autobus treno tram metro stazione fermata | bus trein tram metro halte station ;
  airport flight plane fly shuttle | flughafen flug fliegen flugzeug | aéroport vol avion navette | aeropuerto vuelo
    avión volar | aeroporto volo aereo navetta | luchthaven vlucht vliegtuig ;
  address location where directions street situated located find | adresse anschrift lage standort anfahrt straße |
    adresse lieu situé rue accès | dirección ubicación calle situado | indirizzo posizione via | adres locatie
    straat ligging ;
  branch location office site store shop outlet | filiale standort büro geschäftsstelle laden geschäft amt | agence
    succursale magasin bureau boutique | sucursal oficina tienda local | filiale ufficio negozio sede | filiaal
    kantoor winkel vestiging ;
  book booking reserve reservation reserved | buchen buchung reservieren reservierung | réserver réservation |
    reservar reserva | prenotare prenotazione | boeken boeking reserveren reservering ;
  appointment slot visit consultation meeting schedule | termin besuch sprechstunde terminvereinbarung | rendez-vous
    consultation visite | cita consulta visita | appuntamento visita consulto | afspraak consult bezoek ;
  change reschedule postpone move modify alter amend switch rebook | ändern umbuchen verschieben wechseln änderung
    verlegen | modifier changer déplacer reporter modification | cambiar modificar aplazar cambio | cambiare
    modificare spostare cambio | wijzigen veranderen verzetten omboeken ;
  miss missed no-show absent show | verpassen versäumen nichterscheinen | manquer rater absent | faltar perder
    ausente | mancare saltare assente | missen gemist ;
  penalty fine sanction punish bill surcharge | strafe bußgeld zuschlag vertragsstrafe mahngebühr | pénalité amende
    supplément | multa penalización recargo suplemento | penale multa supplemento | boete toeslag ;
  arrive arrival check-in checkin come reach early | ankunft ankommen anreise anreisen check-in einchecken | arriver
    arrivée | llegar llegada entrada | arrivare arrivo | aankomst aankomen inchecken ;
  leave departure check-out checkout depart | abreise abreisen auschecken check-out verlassen | partir départ
    quitter | salida salir marcharse | partire partenza | vertrek vertrekken uitchecken ;
  room bedroom chamber suite accommodation | zimmer raum unterkunft | chambre pièce hébergement | habitación cuarto
    alojamiento | camera stanza alloggio | kamer verblijf ;
  overnight night sleep stay accommodation | übernachten übernachtung nacht schlafen aufenthalt | nuit dormir séjour
    nuitée séjourner | noche dormir estancia pernoctar | notte dormire soggiorno pernottamento | nacht overnachten
    slapen verblijf ;
  bed mattress cot crib linen sheet blanket pillow | bett matratze bettwäsche decke kissen kinderbett | lit matelas
    drap couverture oreiller linge | cama colchón sábana manta almohada cuna | letto materasso lenzuolo coperta
    cuscino | bed matras lakens deken kussen ;
  towel robe bathrobe | handtuch bademantel handtücher | serviette peignoir | toalla albornoz | asciugamano
    accappatoio | handdoek badjas ;
  breakfast buffet morning | frühstück buffet frühstücksbuffet | déjeuner buffet | desayuno bufé | colazione buffet
    | ontbijt buffet ;
  eat food meal lunch dinner restaurant menu dine dish supper snack hungry | essen mahlzeit mittagessen abendessen
    restaurant speisekarte gericht | manger repas déjeuner dîner restaurant menu plat | comer comida cena almuerzo
    restaurante menú plato | mangiare pasto pranzo cena ristorante menù piatto | eten maaltijd lunch diner
    restaurant menu ;
  drink beverage water coffee tea juice wine beer alcohol thirsty | trinken getränk wasser kaffee tee saft wein bier
    | boire boisson eau café thé vin bière | beber bebida agua café té vino cerveza | bere bevanda acqua caffè tè
    vino birra | drinken drankje water koffie thee wijn bier ;
  vegetarian vegan diet gluten lactose plant allergy allergen intolerance dairy milk | vegetarisch vegan allergie
    gluten laktose unverträglichkeit | végétarien végan allergie gluten lactose régime | vegetariano vegano alergia
    gluten lactosa | vegetariano vegano allergia glutine lattosio | vegetarisch veganistisch allergie gluten lactose
    ;
  smoke smoking cigarette smoker tobacco | rauchen raucher zigarette | fumer fumeur cigarette | fumar fumador
    cigarrillo | fumare fumatore sigaretta | roken roker sigaret ;
  luggage baggage suitcase bag rucksack | gepäck koffer tasche rucksack | bagage valise sac | equipaje maleta bolsa
    | bagaglio valigia borsa | bagage koffer tas ;
  locker cabinet safe lock store storage keep | schließfach spind schrank tresor aufbewahren aufbewahrung lagern |
    casier coffre consigne conserver garder | taquilla caja guardar consigna | armadietto cassaforte deposito
    conservare | kluisje kluis opslag bewaren ;
  key card door entry access unlock | schlüssel tür zugang eintritt | clé porte accès entrée | llave puerta acceso
    entrada | chiave porta accesso ingresso | sleutel deur toegang ;
  lock childproof protect block secure prevent | sperre sperren kindersicherung sichern schützen verriegeln |
    verrouiller verrou bloquer protéger sécurité | bloquear bloqueo proteger seguro | bloccare blocco proteggere |
    slot vergrendelen blokkeren beveiligen ;
  ticket admission entrance entry pass visit | eintritt eintrittskarte ticket karte einlass | billet entrée ticket |
    entrada billete ticket | biglietto ingresso | kaartje ticket toegang entree ;
  tour guided guide visit excursion | führung tour besichtigung rundgang ausflug | visite guidée tour excursion |
    visita guiada tour excursión | visita guidata tour gita | rondleiding tour excursie ;
  photo picture photograph camera image film | foto bild fotografieren kamera aufnahme | photo image photographier
    appareil | foto imagen fotografía cámara | foto immagine fotografare | foto beeld camera fotograferen ;
  conference meeting seminar event venue hall function | tagung konferenz besprechung veranstaltung saal seminar |
    réunion conférence séminaire salle événement | reunión conferencia sala evento congreso | riunione conferenza
    sala evento | vergadering conferentie zaal evenement ;
  seat capacity chair people persons guests fit hold accommodate | platz sitzplatz stuhl personen fassen plätze |
    place siège chaise personnes capacité | asiento silla plazas personas aforo capacidad | posto sedia persone
    capienza | zitplaats stoel plaatsen personen ;
  group party team crowd | gruppe team | groupe équipe | grupo equipo | gruppo squadra | groep team ;
  large big size small tall dimension measure fit medium height | groß größe klein maß abmessung höhe | grand taille
    petit dimension mesure hauteur | grande tamaño talla pequeño medida dimensión | grande taglia misura piccolo
    dimensione | groot maat klein afmeting hoogte ;
  length long wide width high height deep depth dimension | länge lang breit breite hoch höhe tief tiefe | longueur
    long large largeur haut hauteur profondeur | largo ancho alto longitud altura profundidad | lunghezza lungo
    larghezza altezza profondità | lengte lang breed hoogte diepte ;
  carry load maximum limit payload bear support | tragen last maximal belastung zuladung | porter charge maximum
    limite | llevar carga máximo límite | portare carico massimo limite | dragen last maximum belasting ;
  colour color shade paint blue red green black white grey silver | farbe farben blau rot grün schwarz weiß grau |
    couleur bleu rouge vert noir blanc gris | color azul rojo verde negro blanco gris | colore blu rosso verde nero
    bianco grigio | kleur blauw rood groen zwart wit grijs ;
  stock available availability left sold-out supply inventory | lager verfügbar vorrätig lieferbar verfügbarkeit
    bestand | stock disponible disponibilité | stock disponible existencias disponibilidad | disponibile
    disponibilità magazzino | voorraad beschikbaar leverbaar ;
  buy purchase order shop sell | kaufen bestellen kauf bestellung erwerben verkaufen | acheter commander achat
    commande vendre | comprar pedir compra pedido vender | comprare acquistare ordinare acquisto vendere | kopen
    bestellen aankoop bestelling verkopen ;
  deliver delivery ship shipping shipment post courier parcel package | liefern lieferung versand versenden paket
    zustellung | livrer livraison expédition colis envoi | entregar entrega envío paquete enviar | consegnare
    consegna spedizione pacco | leveren levering bezorging verzenden pakket ;
  collect pick-up pickup fetch ready prepared | abholen abholung bereit fertig | retirer récupérer prêt enlèvement |
    recoger recogida listo | ritirare ritiro pronto | ophalen afhalen klaar ;
  return exchange replace replacement swap send-back | rückgabe umtausch umtauschen ersetzen ersatz zurückgeben |
    retourner échanger remplacer échange retour remplacement | devolver cambiar devolución reemplazo sustituir |
    restituire cambiare sostituire reso sostituzione | retour ruilen vervangen terugsturen ;
`
