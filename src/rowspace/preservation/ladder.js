"use strict";
openPage(); // page.js draws the figures and pages the tables; nothing else moves here
