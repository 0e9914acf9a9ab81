"""Writes trips.csv: 420 invented taxi trips with some missing values, the same in every run."""
import csv
import datetime
import math
import random

random.seed(2026)
cities = {"Lima": 0.9, "Oslo": 1.7, "Rome": 1.3, "Delhi": 0.7}
kinds = {"taxi": 1.0, "van": 1.5, "limousine": 2.2}
rows = []
for n in range(420):
    city = random.choices(list(cities), [4, 2, 3, 5])[0]
    kind = random.choices(list(kinds), [6, 3, 1])[0]
    time = datetime.datetime(2025, 1, 1) + datetime.timedelta(days=random.randrange(365), hours=int(random.gauss(14, 4)) % 24, minutes=random.randrange(60))
    distance = round(math.exp(random.gauss(1.6, 0.6)), 1)
    fare = round((2.5 + 1.6 * distance ** 0.9) * cities[city] * kinds[kind] * math.exp(random.gauss(0, 0.18)), 2)
    tip = round(max(0, fare * random.gauss(0.12, 0.06)), 2)
    rating = random.choices([1, 2, 3, 4, 5], [1, 2, 4, 7, 6])[0] if random.random() > 0.06 else ""
    rows.append([time.isoformat(sep=" "), city, kind, distance, fare, tip, rating, time.hour])
rows.sort()
with open("trips.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["time", "city", "kind", "distance", "fare", "tip", "rating", "hour"])
    writer.writerows(rows)
